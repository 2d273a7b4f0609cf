import { parseArgs } from 'node:util';
import { backUp, type Copied } from '../store/snapshots/backup.ts';
import { databaseFile } from '../store/snapshots/snapshot.ts';
import { exit, type Terminal, UsageError } from '../terminal/terminal.ts';
import { withDatabase } from '../terminal/with-database.ts';

const help = `tallyhook backup FILE: copies the database of DATABASE_URL into a file, also while the program runs

The copy is of one moment. It is checked (the file is whole, every balance is the sum of its entries) before it gets its
name; until then it is FILE.partial. A file that is there is never overwritten. Only its owner may read it.
\`tallyhook restore FILE\` makes it the database again. PostgreSQL has tools of its own for this; the command names them.

Exit codes: 0 the copy is made, 1 it is not, or it is a true copy of a ledger that does not add up, 2 not with this database.`;

/** `tallyhook backup`. */
export async function backup(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = { help: { type: 'boolean', short: 'h', default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (values.help) {
    terminal.print(help);
    return exit.fine;
  }
  const file = onlyFile(positionals);
  return withDatabase(terminal, async (url) => {
    const path = databaseFile(url);
    if (path === null) {
      terminal.complain(
        `The database is PostgreSQL, which copies itself: pg_dump --format=custom --file=${file} "$DATABASE_URL"`,
      );
      return exit.usage;
    }
    const copied = await backUp(path, file, { onProgress: tellTenths(terminal), stop: terminal.stop });
    terminal.print(`${file} is a whole copy of ${path}: ${contentsInWords(copied)}.`);
    return judgeLedger(copied, terminal);
  });
}

/** The one word that the command takes besides its options. @throws UsageError for none, and for more */
export function onlyFile(positionals: readonly string[]): string {
  const [file, ...more] = positionals;
  if (file === undefined || file === '' || more.length > 0) throw new UsageError('Name one file.');
  return file;
}

export function contentsInWords({ entries, users, lastDeliveryAt }: Copied): string {
  const last = lastDeliveryAt === null ? 'no delivery yet' : `last delivery ${new Date(lastDeliveryAt).toISOString()}`;
  return `${entries} entries of ${users} users, ${last}`;
}

/** A copy is worth having even when the ledger in it does not add up, but somebody has to know. */
export function judgeLedger({ differing }: Copied, terminal: Terminal): number {
  if (differing === 0) return exit.fine;
  const whose = differing === 1 ? 'The balance of 1 user is' : `The balances of ${differing} users are`;
  terminal.complain(`${whose} not the sum of the entries, here as in the original. \`tallyhook doctor\` names them.`);
  return exit.fault;
}

/** A line for each tenth; a small database is done before the first. */
function tellTenths(terminal: Terminal): (share: number) => void {
  let told = 0;
  return (share) => {
    const tenths = Math.floor(share * 10);
    if (tenths <= told || tenths >= 10) return;
    told = tenths;
    terminal.complain(`${tenths}0 % copied …`);
  };
}
