import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { formatCount, isoTime } from '@tallyhook/platform/durations';
import type { Run } from '@tallyhook/platform/terminal/program';
import { copyWithProgress } from '@tallyhook/platform/terminal/progress';
import { exitCode, type Terminal } from '@tallyhook/platform/terminal/terminal';
import { loadDatabaseUrl } from '../../config/load.ts';
import { backUp, type CopyResult, restoreBackup } from '../core/store/snapshots/backup.ts';

/** `tallyhook backup`. */
export const backup = copyCommand({
  postgresHint: (file) => `Back it up with: pg_dump --format=custom --file=${file} "$DATABASE_URL"`,
  copy: (file, path, terminal) => copyWithProgress(terminal, (options) => backUp(path, file, options)),
  formatSuccess: (file, path) => `Copied ${path} to ${file}`,
});

/** `tallyhook restore`. */
export const restore = copyCommand({
  postgresHint: (file) => `Restore it with: pg_restore --clean --if-exists --dbname="$DATABASE_URL" ${file}`,
  copy: restoreBackup,
  formatSuccess: (file, path) => `Restored ${path} from ${file}`,
});

/** A command that copies between a backup file and the database, and prints a summary of the copied ledger. */
function copyCommand(direction: {
  /** The equivalent command for PostgreSQL. */
  postgresHint(file: string): string;
  copy(file: string, path: string, terminal: Terminal): Promise<CopyResult>;
  /** Beginning of the message for a completed copy. */
  formatSuccess(file: string, path: string): string;
}): Run<{ readonly json?: boolean }> {
  return async ({ json }, terminal, [file = '']) => {
    const path = sqlitePathOf(loadDatabaseUrl(process.env));
    if (path === null) {
      terminal.printError(`The database is PostgreSQL. ${direction.postgresHint(file)}`);
      return exitCode.usage;
    }
    const result = await direction.copy(file, path, terminal);
    const { entries, users, balanceDifferences } = result;
    const lastDeliveryAt = isoTime(result.lastDeliveryAt);
    const contents = `${formatCount(entries, 'entry', 'entries')} of ${formatCount(users, 'user')}`;
    terminal.print(
      json
        ? JSON.stringify({
            file,
            database: path,
            entries,
            users,
            lastDeliveryAt,
            differingBalances: balanceDifferences,
          })
        : `${direction.formatSuccess(file, path)}: ${contents}, last delivery ${lastDeliveryAt ?? 'none'}.`,
    );
    if (balanceDifferences === 0) return exitCode.ok;
    terminal.printError(
      `${formatCount(balanceDifferences, 'balance')} in the copy and in the original differ from the sum of the entries. ` +
        'Run `tallyhook doctor` for details.',
    );
    return exitCode.runtimeError;
  };
}
