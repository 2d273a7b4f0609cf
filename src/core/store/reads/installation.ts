import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { day } from '../../../platform/durations.ts';
import { type AccountId, homeAccounts, partsOf } from '../../ledger/account-id.ts';
import type { Installation, Separation } from '../../tally/separation.ts';
import { accountOf } from '../account-columns.ts';
import { parseSeparation, type SeparationState, separatedKey } from '../installation-keys.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { homeAfter, readHome } from '../writes/installation.ts';
import type { Write } from '../writes/writes.ts';

/** Entries that one query reads: a few ms, in which SQLite blocks this thread. */
const entriesPerQuery = 5_000;
/** How far an entry that becomes visible may be behind the highest id: ids are given out in blocks, and before the commit. */
const uncertainIds = 100_000;
/** How long after the last entry of an earlier version the search continues. */
const searchedForMs = 7 * day;
/** Members per transaction. */
const membersAtOnce = 20;

export function sqlInstallation(db: Kysely<Tables>, reading: Connection, write: Write): Installation {
  async function stateOf(listing: string): Promise<SeparationState | null> {
    const row = db.selectFrom('installation').select('value').where('key', '=', separatedKey(listing));
    const [stored] = await run(reading, row);
    return stored === undefined ? null : parseSeparation(stored.value);
  }

  /** The home accounts with entries of these listings, after an id, page by page. Returns the highest id. */
  async function* accountsWith(
    listings: ReadonlySet<string>,
    after: number,
  ): AsyncGenerator<readonly AccountId[], number> {
    for (let last = after; ; ) {
      const entries = db.selectFrom('entries').select(['id', 'user_id', 'listing']).where('id', '>', last);
      const page: readonly ScannedEntry[] = await run(reading, entries.orderBy('id').limit(entriesPerQuery));
      const ofListings = page.filter(({ listing }) => listing !== null && listings.has(listing)).map(accountOf);
      yield [...new Set(ofListings)].filter((id) => partsOf(id).accounts === homeAccounts);
      last = page.at(-1)?.id ?? last;
      if (page.length < entriesPerQuery) return last;
      await nextTurn();
    }
  }

  /** Divides accounts with entries of these listings after an id. */
  async function separateAfter(
    lastId: number,
    { moved, kept }: Separation,
    now: number,
  ): Promise<{ readonly divided: number; readonly lastId: number }> {
    const pages = accountsWith(new Set(moved.map(({ name }) => name)), lastId);
    let divided = 0;
    for (;;) {
      const page = await pages.next();
      if (page.done) return { divided, lastId: page.value };
      for (let start = 0; start < page.value.length; start += membersAtOnce) {
        const some = page.value.slice(start, start + membersAtOnce);
        divided += await write('separateAccounts', some, { moved, kept }, now);
      }
    }
  }

  return {
    async home(candidate, configured) {
      const stored = await readHome(db, reading);
      const home = await homeAfter(db, reading, { stored, candidate, configured });
      return home === stored ? home : write('fixHome', candidate, configured);
    },

    async separate({ moved, kept }, now) {
      const states = await Promise.all(moved.map(async ({ name }) => [name, await stateOf(name)] as const));
      const pending = states.filter(([, state]) => state !== 'done');
      if (pending.length === 0) return 0;
      const names = new Set(pending.map(([name]) => name));
      const from = pending.map(([, state]) => (state === null || state === 'done' ? 0 : state.lastId - uncertainIds));
      const separation = { moved: moved.filter(({ name }) => names.has(name)), kept };
      const { divided, lastId } = await separateAfter(Math.max(0, Math.min(...from)), separation, now);
      for (const [name, state] of pending) {
        const foundAt = state === null || state === 'done' || divided > 0 ? now : Math.min(state.foundAt, now);
        await write('noteSeparated', [name], now - foundAt >= searchedForMs ? 'done' : { lastId, foundAt });
      }
      return divided;
    },
  };
}

interface ScannedEntry {
  readonly id: number;
  readonly user_id: string;
  readonly listing: string | null;
}
