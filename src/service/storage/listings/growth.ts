import { setImmediate } from 'node:timers/promises';
import { day } from '../../../platform/durations.ts';
import type { Database } from '../database.ts';

const weekMs = 7 * day;

/**
 * Calculates the growth of each published listing: the votes of the seven days before `now` (ms since the epoch) minus
 * those of the seven days before them. It is stored, so that a list can be sorted by it without counting votes. Counting
 * reads the index entries of two weeks; SQLite counts on this thread, so listings are counted one by one.
 */
export async function updateGrowth(database: Database, now: number, signal?: AbortSignal): Promise<void> {
  const listings = await database
    .selectFrom('listings')
    .select(['id', 'growth'])
    .where('state', '=', 'published')
    .execute();
  for (const { id, growth } of listings) {
    if (signal?.aborted) return;
    const { recent, both } = await database
      .selectFrom('votes')
      .select(({ fn }) => [
        fn
          .countAll<number>()
          .filterWhere('voted_at', '>=', now - weekMs)
          .as('recent'),
        fn.countAll<number>().as('both'),
      ])
      .where('listing_id', '=', id)
      .where('voted_at', '>=', now - 2 * weekMs)
      .where('voted_at', '<', now)
      .executeTakeFirstOrThrow();
    const change = 2 * Number(recent) - Number(both);
    if (change !== growth)
      await database.updateTable('listings').set({ growth: change }).where('id', '=', id).execute();
    await setImmediate();
  }
}
