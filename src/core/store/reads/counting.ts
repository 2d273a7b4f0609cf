import type { Kysely } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import { minute } from '../../../platform/durations.ts';
import type { CountingStore } from '../../tally/pruning-store.ts';
import { type CountedTable, countedTables, slotMs } from '../counters.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';
import { countRows, readCounters } from './counted-rows.ts';

/**
 * On a server, rows are counted this long after a higher id was seen (ms): a transaction may still be inserting lower
 * ids, and on some databases a connection has a range of ids. No connection lives that long.
 */
const settleMs = 15 * minute;
/** The highest id of each table is noted so often (ms). */
const noteEveryMs = minute;
const voteCountsPerDelete = 500;

/** The counting port over SQL. */
export function sqlCounting(
  db: Kysely<Tables>,
  { reading, dataVersion }: Pick<Dialect, 'reading' | 'dataVersion'>,
  clock: Clock,
  write: Write,
): CountingStore {
  // SQLite assigns ids in the order of commits.
  const settleTableMs = dataVersion === null ? settleMs : 0;
  const notes: { readonly at: number; readonly below: Readonly<Record<CountedTable, number>> }[] = [];

  /** The ids below which no row will be added. */
  async function settledIds(): Promise<Readonly<Record<CountedTable, number>> | undefined> {
    const now = clock.monotonic();
    const newest = notes.at(-1);
    if (newest === undefined || now - newest.at >= noteEveryMs || settleTableMs === 0) {
      const below = { deliveries: 0, entries: 0, effects: 0 };
      for (const table of countedTables) {
        const last = db.selectFrom(table).select(({ fn }) => fn.max<number | null>('id').as('id'));
        below[table] = ((await run(reading, last))[0]?.id ?? -1) + 1;
      }
      notes.push({ at: now, below });
    }
    const settled = notes.findLastIndex(({ at }) => now - at >= settleTableMs);
    if (settled > 0) notes.splice(0, settled);
    return settled === -1 ? undefined : notes[0]?.below;
  }

  return {
    async advance() {
      const settled = await settledIds();
      if (settled === undefined) return false;
      const counters = await readCounters(db, reading);
      let hasMore = false;
      for (const table of countedTables) {
        const range = { from: counters[`${table} below`] ?? 0, below: settled[table] };
        const counted = range.from < range.below ? await countRows(db, reading, table, range) : null;
        if (counted === null) continue;
        await write('addCounted', counted);
        hasMore ||= counted.below < range.below;
      }
      return hasMore;
    },
    reset: () => write('resetCounters'),
    async deleteVotesBefore(at) {
      return (await write('deleteVoteCounts', Math.floor(at / slotMs), voteCountsPerDelete)) === voteCountsPerDelete;
    },
  };
}
