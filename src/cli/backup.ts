import { backUp } from '../core/store/snapshots/backup.ts';
import { printCopyProgress } from '../platform/terminal/copy-arguments.ts';
import { copyCommand } from './copy-command.ts';

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

/** `tallyhook backup`. */
export const backupCommand = copyCommand({
  help,
  postgresHint: (file) => `Back it up with: pg_dump --format=custom --file=${file} "$DATABASE_URL"`,
  copy: (file, path, terminal) => backUp(path, file, { onProgress: printCopyProgress(terminal), stop: terminal.stop }),
  formatSuccess: (file, path) => `Copied ${path} to ${file}`,
});
