import { restoreBackup } from '../store/snapshots/backup.ts';
import { copyCommand } from './copy-command.ts';

const help = `tallyhook restore FILE: makes a backup the database of DATABASE_URL

Stop tallyhook first. There must be no database where it goes: move the old one away, with its -wal and -shm if it has
them. The file is checked before it is used and stays as it is; the database is there whole or not at all.

  --json  print what was copied as one JSON object: {file, database, entries, users, lastDeliveryAt, differingBalances}

Exit codes: 0 restored, 1 not restored, or restored from a ledger that does not add up, 2 not with this database.`;

/** `tallyhook restore`. */
export const restoreCommand = copyCommand({
  help,
  postgres: (file) => `which restores itself: pg_restore --clean --if-exists --dbname="$DATABASE_URL" ${file}`,
  copy: restoreBackup,
  done: (file, path) => `${path} is restored from ${file}`,
});
