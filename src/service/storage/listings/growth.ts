import { setImmediate } from 'node:timers/promises';
import type { Query } from '../../../platform/database/dialect.ts';
import { day } from '../../../platform/durations.ts';
import type { Database } from '../database.ts';

const weekMs = 7 * day;
/** Listings whose growth is written together: a commit takes longer than to count the votes of most. */
const chunkSize = 200;

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
  for (let start = 0; start < listings.length && !signal?.aborted; start += chunkSize) {
    const changes: Query[] = [];
    for (const { id, growth } of listings.slice(start, start + chunkSize)) {
      const change = await growthOf(database, id, now);
      const update = database.updateTable('listings').set({ growth: change }).where('id', '=', id);
      if (change !== growth) changes.push(update.compile());
      await setImmediate();
    }
    if (changes.length > 0) await database.batch(changes);
  }
}

async function growthOf(database: Database, listingId: string, now: number): Promise<number> {
  const { recent, both } = await database
    .selectFrom('votes')
    .select(({ fn }) => [
      fn
        .countAll<number>()
        .filterWhere('voted_at', '>=', now - weekMs)
        .as('recent'),
      fn.countAll<number>().as('both'),
    ])
    .where('listing_id', '=', listingId)
    .where('voted_at', '>=', now - 2 * weekMs)
    .where('voted_at', '<', now)
    .executeTakeFirstOrThrow();
  return 2 * Number(recent) - Number(both);
}
