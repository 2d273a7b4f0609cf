import { sqlitePathOf } from '../store/dialect/dialect.ts';
import type { CopyResult } from '../store/snapshots/backup.ts';
import { parseOptions } from '../terminal/parse-options.ts';
import { exitCode, type Terminal, UsageError } from '../terminal/terminal.ts';
import { withDatabase } from '../terminal/with-config.ts';

/** What a backup and its way back do not have in common. */
export interface CopyCommand {
  readonly help: string;
  /** How PostgreSQL does it by itself. */
  postgres(file: string): string;
  /** Copies between the file that was named and the database at `path`. */
  copy(file: string, path: string, terminal: Terminal): Promise<CopyResult>;
  /** Says that it is done. */
  done(file: string, path: string): string;
}

/** A command that copies between one named file and the database, and tells what was in it. */
export function copyCommand({ help, postgres, copy, done }: CopyCommand) {
  return async (args: readonly string[], terminal: Terminal): Promise<number> => {
    const flag = { type: 'boolean', default: false } as const;
    const options = { help: { ...flag, short: 'h' }, json: flag } as const;
    const { values, positionals } = parseOptions({ args: [...args], options, allowPositionals: true });
    if (values.help) {
      terminal.print(help);
      return exitCode.ok;
    }
    const file = onlyFile(positionals);
    return withDatabase(terminal, async (url) => {
      const path = sqlitePathOf(url);
      if (path === null) {
        terminal.printError(`The database is PostgreSQL, ${postgres(file)}`);
        return exitCode.usage;
      }
      const copied = await copy(file, path, terminal);
      terminal.print(
        values.json
          ? JSON.stringify({ file, database: path, ...contentsAsJson(copied) })
          : `${done(file, path)}: ${contentsInWords(copied)}.`,
      );
      return judgeLedger(copied, terminal);
    });
  };
}

/** The one word that the command takes besides its options. @throws UsageError for none, and for more */
function onlyFile(positionals: readonly string[]): string {
  const [file, ...more] = positionals;
  if (file === undefined || file === '' || more.length > 0) throw new UsageError('Name one file.');
  return file;
}

function contentsAsJson({ entries, users, lastDeliveryAt, balanceDifferences: differing }: CopyResult): object {
  const last = lastDeliveryAt === null ? null : new Date(lastDeliveryAt).toISOString();
  return { entries, users, lastDeliveryAt: last, differingBalances: differing };
}

function contentsInWords({ entries, users, lastDeliveryAt }: CopyResult): string {
  const last = lastDeliveryAt === null ? 'no delivery yet' : `last delivery ${new Date(lastDeliveryAt).toISOString()}`;
  return `${entries} entries of ${users} users, ${last}`;
}

/** A copy is worth having even when the ledger in it does not add up, but somebody has to know. */
function judgeLedger({ balanceDifferences: differing }: CopyResult, terminal: Terminal): number {
  if (differing === 0) return exitCode.ok;
  const whose = differing === 1 ? 'The balance of 1 user is' : `The balances of ${differing} users are`;
  terminal.printError(`${whose} not the sum of the entries, here as in the original. \`tallyhook doctor\` names them.`);
  return exitCode.runtimeError;
}
