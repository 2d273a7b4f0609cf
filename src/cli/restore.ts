import { restoreBackup } from '../core/store/snapshots/backup.ts';
import { copyCommand } from './copy-command.ts';

const help = `tallyhook restore: restore the SQLite database of DATABASE_URL from a backup file

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

/** `tallyhook restore`. */
export const restoreCommand = copyCommand({
  help,
  postgresHint: (file) => `Restore it with: pg_restore --clean --if-exists --dbname="$DATABASE_URL" ${file}`,
  copy: restoreBackup,
  formatSuccess: (file, path) => `Restored ${path} from ${file}`,
});
