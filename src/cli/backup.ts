import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { formatCount, isoTime } from '@tallyhook/platform/durations';
import { type CliCommand, command } from '@tallyhook/platform/terminal/command';
import { copyWithProgress, singleFile } from '@tallyhook/platform/terminal/copy-arguments';
import { exitCode, type Terminal } from '@tallyhook/platform/terminal/terminal';
import { loadDatabaseUrl } from '../../config/load.ts';
import { backUp, type CopyResult, restoreBackup } from '../core/store/snapshots/backup.ts';

const help = `tallyhook backup: copy the SQLite database of DATABASE_URL to a file while tallyhook runs, and verify the copy

Usage
  tallyhook backup FILE [options]

Options
  --json   print the result as a JSON object: {file, database, entries, users, lastDeliveryAt, differingBalances}
  --help   print this help

The copy is a consistent snapshot. It is verified (file integrity; every balance is the sum of its entries) and has the
name FILE.partial until then. An existing file is not overwritten. Only its owner can read the copy. To restore it, use
\`tallyhook restore FILE\`. The key of secrets that /setup has stored is not in the copy: keep a copy of SETTINGS_KEY, or of the
key file beside the database, in another place. For PostgreSQL the command prints the tool to use instead.

Exit codes: 0 copied, 1 not copied, or copied but the ledger is inconsistent, 2 invalid usage or settings, or
PostgreSQL.`;

export const backupCommand = copyCommand({
  help,
  postgresHint: (file) => `Back it up with: pg_dump --format=custom --file=${file} "$DATABASE_URL"`,
  copy: (file, path, terminal) => copyWithProgress(terminal, (options) => backUp(path, file, options)),
  formatSuccess: (file, path) => `Copied ${path} to ${file}`,
});

const restoreHelp = `tallyhook restore: restore the SQLite database of DATABASE_URL from a backup file

Usage
  tallyhook restore FILE [options]

Options
  --json   print the result as a JSON object: {file, database, entries, users, lastDeliveryAt, differingBalances}
  --help   print this help

Stop tallyhook first, and move the old database away, with its -wal and -shm files if there are any: an existing
database is not overwritten. The backup is verified before it is copied, and is not changed. If the command fails, no
database is created. For PostgreSQL the command prints the tool to use instead.

Exit codes: 0 restored, 1 not restored, or restored but the ledger is inconsistent, 2 invalid usage or settings, or
PostgreSQL.`;

export const restoreCommand = copyCommand({
  help: restoreHelp,
  postgresHint: (file) => `Restore it with: pg_restore --clean --if-exists --dbname="$DATABASE_URL" ${file}`,
  copy: restoreBackup,
  formatSuccess: (file, path) => `Restored ${path} from ${file}`,
});

/** A command that copies between a backup file and the database, and prints a summary of the copied ledger. */
function copyCommand(direction: {
  readonly help: string;
  /** The equivalent command for PostgreSQL. */
  postgresHint(file: string): string;
  copy(file: string, path: string, terminal: Terminal): Promise<CopyResult>;
  /** Beginning of the message for a completed copy. */
  formatSuccess(file: string, path: string): string;
}): CliCommand {
  return command({
    help: direction.help,
    options: { json: { type: 'boolean', default: false } },
    allowPositionals: true,
    async run({ values, positionals }, terminal) {
      const file = singleFile(positionals);
      const path = sqlitePathOf(loadDatabaseUrl(process.env));
      if (path === null) {
        terminal.printError(`The database is PostgreSQL. ${direction.postgresHint(file)}`);
        return exitCode.usage;
      }
      const result = await direction.copy(file, path, terminal);
      terminal.print(
        values.json
          ? JSON.stringify({ file, database: path, ...jsonOf(result) })
          : `${direction.formatSuccess(file, path)}: ${formatContents(result)}.`,
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
  return { entries, users, lastDeliveryAt: isoTime(lastDeliveryAt), differingBalances: differing };
}

function formatContents({ entries, users, lastDeliveryAt }: CopyResult): string {
  const contents = `${formatCount(entries, 'entry', 'entries')} of ${formatCount(users, 'user')}`;
  return `${contents}, last delivery ${isoTime(lastDeliveryAt) ?? 'none'}`;
}
