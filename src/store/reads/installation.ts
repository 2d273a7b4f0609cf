import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { type AccountId, homeAccounts, partsOf } from '../../ledger/account-id.ts';
import type { Installation } from '../../tally/separation.ts';
import { accountOf } from '../account-columns.ts';
import type { Connection } from '../dialect/dialect.ts';
import { separatedKey } from '../installation-keys.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { homeAfter, readHome } from '../writes/installation.ts';
import type { Write } from '../writes/writes.ts';

/** Entries that one query reads: a few ms, in which SQLite blocks this thread. */
const entriesPerQuery = 5_000;
/** Members per transaction. */
const membersAtOnce = 20;

export function sqlInstallation(db: Kysely<Tables>, reading: Connection, write: Write): Installation {
  async function isSeparated(listing: string): Promise<boolean> {
    const row = db.selectFrom('installation').select('key').where('key', '=', separatedKey(listing));
    return (await run(reading, row)).length > 0;
  }

  /** The home accounts among those of a page of entries that are of these listings. */
  async function* accountsWith(listings: ReadonlySet<string>): AsyncGenerator<readonly AccountId[]> {
    for (let last: number | undefined = 0; last !== undefined; ) {
      const entries = db.selectFrom('entries').select(['id', 'user_id', 'listing']).where('id', '>', last);
      const page: readonly ScannedEntry[] = await run(reading, entries.orderBy('id').limit(entriesPerQuery));
      const ofListings = page.filter(({ listing }) => listing !== null && listings.has(listing)).map(accountOf);
      yield [...new Set(ofListings)].filter((id) => partsOf(id).accounts === homeAccounts);
      last = page.length < entriesPerQuery ? undefined : page.at(-1)?.id;
      await nextTurn();
    }
  }

  return {
    async home(candidate, configured) {
      const stored = await readHome(db, reading);
      const home = await homeAfter(db, reading, { stored, candidate, configured });
      return home === stored ? home : write('fixHome', candidate, configured);
    },

    async separate({ moved, kept }, now) {
      const pending = [];
      for (const listing of moved) if (!(await isSeparated(listing.name))) pending.push(listing);
      if (pending.length === 0) return 0;
      const names = pending.map(({ name }) => name);
      let divided = 0;
      for await (const accounts of accountsWith(new Set(names))) {
        for (let start = 0; start < accounts.length; start += membersAtOnce) {
          const some = accounts.slice(start, start + membersAtOnce);
          divided += await write('separateAccounts', some, { moved: pending, kept }, now);
        }
      }
      await write('noteSeparated', names);
      return divided;
    },
  };
}

interface ScannedEntry {
  readonly id: number;
  readonly user_id: string;
  readonly listing: string | null;
}
