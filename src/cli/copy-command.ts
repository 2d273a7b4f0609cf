import { loadDatabaseUrl } from '../../config/load.ts';
import type { CopyResult } from '../core/store/snapshots/backup.ts';
import { sqlitePathOf } from '../platform/database/database-url.ts';
import { formatCount } from '../platform/durations.ts';
import { type CliCommand, command } from '../platform/terminal/command.ts';
import { singleFile } from '../platform/terminal/copy-arguments.ts';
import { exitCode, type Terminal } from '../platform/terminal/terminal.ts';

/** The differences between backup and restore. */
export interface CopyCommandOptions {
  readonly help: string;
  /** The equivalent command for PostgreSQL. */
  postgresHint(file: string): string;
  /** Copies between the backup file and the database at `path`. */
  copy(file: string, path: string, terminal: Terminal): Promise<CopyResult>;
  /** Beginning of the message for a completed copy. */
  formatSuccess(file: string, path: string): string;
}

/** A command that copies between a backup file and the database, and prints a summary of the copied ledger. */
export function copyCommand({ help, postgresHint, copy, formatSuccess }: CopyCommandOptions): CliCommand {
  return command({
    help,
    options: { json: { type: 'boolean', default: false } },
    allowPositionals: true,
    async run({ values, positionals }, terminal) {
      const file = singleFile(positionals);
      const path = sqlitePathOf(loadDatabaseUrl(process.env));
      if (path === null) {
        terminal.printError(`The database is PostgreSQL. ${postgresHint(file)}`);
        return exitCode.usage;
      }
      const result = await copy(file, path, terminal);
      terminal.print(
        values.json
          ? JSON.stringify({ file, database: path, ...jsonOf(result) })
          : `${formatSuccess(file, path)}: ${formatContents(result)}.`,
      );
      if (result.balanceDifferences === 0) return exitCode.ok;
      terminal.printError(
        `${formatCount(result.balanceDifferences, 'balance')} in the copy and in the original differ from the sum of the entries. ` +
          'Run `tallyhook doctor` for details.',
      );
      return exitCode.runtimeError;
    },
  });
}

function jsonOf({ entries, users, lastDeliveryAt, balanceDifferences: differing }: CopyResult): object {
  return { entries, users, lastDeliveryAt: isoOf(lastDeliveryAt), differingBalances: differing };
}

function formatContents({ entries, users, lastDeliveryAt }: CopyResult): string {
  const contents = `${formatCount(entries, 'entry', 'entries')} of ${formatCount(users, 'user')}`;
  return `${contents}, last delivery ${isoOf(lastDeliveryAt) ?? 'none'}`;
}

/** @param at ms since the epoch */
function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
