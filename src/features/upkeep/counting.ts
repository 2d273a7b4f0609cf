import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { type CounterStore, slotMs } from '../../core/store/counters.ts';
import { type CountedTable, countedTables } from '../../core/store/tables.ts';

/**
 * On a server, rows are counted this long after a higher id was seen (ms): a transaction may still be inserting lower
 * ids, and on some databases a connection has a range of ids. No connection lives that long.
 */
const settleMs = 15 * minute;
/** The highest id of each table is noted so often (ms). */
const noteEveryMs = minute;
const voteCountsAtOnce = 500;

export type Counting = ReturnType<typeof createCounting>;

/**
 * Counts the rows that were added, so that summaries need not count whole tables. Rejects as the writes of the store do,
 * or with the driver's error.
 * @param areIdsOrdered whether the database assigns ids in the order of commits
 */
export function createCounting(store: CounterStore, clock: Clock, areIdsOrdered: boolean) {
  const settleTableMs = areIdsOrdered ? 0 : settleMs;
  const notes: { readonly at: number; readonly below: Readonly<Record<CountedTable, number>> }[] = [];

  /** The ids below which no row will be added. */
  async function settledIds(): Promise<Readonly<Record<CountedTable, number>> | undefined> {
    const now = clock.monotonic();
    const newest = notes.at(-1);
    if (newest === undefined || now - newest.at >= noteEveryMs || settleTableMs === 0) {
      notes.push({ at: now, below: await store.nextIds() });
    }
    const settled = notes.findLastIndex(({ at }) => now - at >= settleTableMs);
    if (settled > 0) notes.splice(0, settled);
    return settled === -1 ? undefined : notes[0]?.below;
  }

  return {
    /** Counts some rows. Returns whether there are more. */
    async advance(): Promise<boolean> {
      const settled = await settledIds();
      if (settled === undefined) return false;
      const counters = await store.counters();
      let hasMore = false;
      for (const table of countedTables) {
        const range = { from: counters[`${table} below`] ?? 0, below: settled[table] };
        const counted = range.from < range.below ? await store.countRows(table, range) : null;
        if (counted === null) continue;
        await store.addCounted(counted);
        hasMore ||= counted.below < range.below;
      }
      return hasMore;
    },
    /** Adds up counts of votes that no chart shows (ms since the epoch). Returns whether there may be more. */
    async addUpVotesBefore(at: number): Promise<boolean> {
      return (await store.addUpVoteCounts(Math.floor(at / slotMs), voteCountsAtOnce)) === voteCountsAtOnce;
    },
  };
}
