import { parseArgs } from 'node:util';
import { restore } from '../store/snapshots/backup.ts';
import { databaseFile } from '../store/snapshots/snapshot.ts';
import { exit, type Terminal } from '../terminal/terminal.ts';
import { withDatabase } from '../terminal/with-database.ts';
import { contentsInWords, judgeLedger, onlyFile } from './backup.ts';

const help = `tallyhook restore FILE: makes a backup the database of DATABASE_URL

Stop tallyhook first. There must be no database where it goes: move the old one away, with its -wal and -shm if it has
them. The file is checked before it is used and stays as it is; the database is there whole or not at all.

Exit codes: 0 restored, 1 not restored, or restored from a ledger that does not add up, 2 not with this database.`;

/** `tallyhook restore`. */
export async function restoreCommand(args: readonly string[], terminal: Terminal): Promise<number> {
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
        `The database is PostgreSQL, which restores itself: pg_restore --clean --if-exists --dbname="$DATABASE_URL" ${file}`,
      );
      return exit.usage;
    }
    const restored = await restore(file, path);
    terminal.print(`${path} is restored from ${file}: ${contentsInWords(restored)}.`);
    return judgeLedger(restored, terminal);
  });
}
