import { backUp } from '../store/snapshots/backup.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { copyCommand } from './copy-command.ts';

const help = `tallyhook backup FILE: copies the database of DATABASE_URL into a file, also while the program runs

The copy is of one moment. It is checked (the file is whole, every balance is the sum of its entries) before it gets its
name; until then it is FILE.partial. A file that is there is never overwritten. Only its owner may read it.
\`tallyhook restore FILE\` makes it the database again. PostgreSQL has tools of its own for this; the command names them.

  --json  print what was copied as one JSON object: {file, database, entries, users, lastDeliveryAt, differingBalances}

Exit codes: 0 the copy is made, 1 it is not, or it is a true copy of a ledger that does not add up, 2 not with this database.`;

/** `tallyhook backup`. */
export const backupCommand = copyCommand({
  help,
  postgres: (file) => `which copies itself: pg_dump --format=custom --file=${file} "$DATABASE_URL"`,
  copy: (file, path, terminal) => backUp(path, file, { onProgress: tellTenths(terminal), stop: terminal.stop }),
  done: (file, path) => `${file} is a whole copy of ${path}`,
});

/** A line for each tenth; a small database is done before the first. */
function tellTenths(terminal: Terminal): (share: number) => void {
  let told = 0;
  return (share) => {
    const tenths = Math.floor(share * 10);
    if (tenths <= told || tenths >= 10) return;
    told = tenths;
    terminal.printError(`${tenths}0 % copied …`);
  };
}
