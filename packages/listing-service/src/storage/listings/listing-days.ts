import { setImmediate } from 'node:timers/promises';
import type { Query } from '@tallyhook/platform/database/dialect';
import { day, hour } from '@tallyhook/platform/durations';
import { sql as expression } from 'kysely';
import type { Database } from '../database.ts';
import { publishedListings } from './published.ts';

/** The figures of a listing for the day (UTC) with this start (ms since the epoch). Deliveries are those queued. */
export type ListingDay = Awaited<ReturnType<typeof listingDays>>[number];

/** A day is stored when it has been over for so long that no transaction of it can be open (ms). */
const settleMs = 1 * hour;

/**
 * The last `count` days of a listing until `now` (ms since the epoch), oldest first. The counts of complete days are
 * stored when they are needed first, so a page costs the same however many votes there are.
 */
export async function listingDays(
  database: Database,
  listingId: string,
  { count, now }: { readonly count: number; readonly now: number },
) {
  const today = Math.floor(now / day);
  const days = Array.from({ length: count }, (_, index) => today - count + 1 + index);
  const stored = await database
    .selectFrom('listing_days')
    .select(['day', 'votes', 'deliveries'])
    .where('listing_id', '=', listingId)
    .where('day', '>', today - count)
    .where('day', '<=', today)
    .execute();
  const known = new Map(stored.map((row) => [row.day, row]));
  const counted: { day: number; votes: number; deliveries: number }[] = [];
  for (const number of days) {
    if (known.has(number)) continue;
    const row = { day: number, ...(await countDay(database, listingId, number * day)) };
    known.set(number, row);
    if ((number + 1) * day + settleMs <= now) counted.push(row);
    // SQLite counts on this thread.
    await setImmediate();
  }
  if (counted.length > 0) {
    await database
      .insertInto('listing_days')
      .values(counted.map((row) => ({ listing_id: listingId, ...row })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  return days.map((number) => {
    const { votes = 0, deliveries = 0 } = known.get(number) ?? {};
    return { start: number * day, votes, deliveries };
  });
}

/** Counts by ranges of indexes. */
async function countDay(database: Database, listingId: string, start: number) {
  const { votes } = await database
    .selectFrom('votes')
    .select(({ fn }) => fn.countAll<number>().as('votes'))
    .where('listing_id', '=', listingId)
    .where('voted_at', '>=', start)
    .where('voted_at', '<', start + day)
    .executeTakeFirstOrThrow();
  const { deliveries } = await database
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll<number>().as('deliveries'))
    .where('listing_id', '=', listingId)
    .where('created_at', '>=', start)
    .where('created_at', '<', start + day)
    .executeTakeFirstOrThrow();
  return { votes: Number(votes), deliveries: Number(deliveries) };
}

/** The deliveries of a listing since a time (ms since the epoch) that failed, and all that wait. */
export async function countOpenDeliveries(
  database: Database,
  listingId: string,
  since: number,
): Promise<{ failed: number; waiting: number }> {
  const counts = { failed: 0, waiting: 0 };
  for (const state of ['failed', 'waiting'] as const) {
    let query = database
      .selectFrom('deliveries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('listing_id', '=', listingId)
      // Written out, since the indexes contain only rows of this state.
      .where('state', '=', expression.lit(state));
    if (state === 'failed') query = query.where('created_at', '>=', since);
    counts[state] = Number((await query.executeTakeFirstOrThrow()).count);
  }
  return counts;
}

const weekMs = 7 * day;
/** Listings whose growth is written together: a commit takes longer than to count the votes of most. */
const chunkSize = 200;

/**
 * Calculates the growth of each published listing: the votes of the seven days before `now` (ms since the epoch) minus
 * those of the seven days before them. It is stored, so that a list can be sorted by it without counting votes. Counting
 * reads the index entries of two weeks; SQLite counts on this thread, so listings are counted one by one.
 */
export async function updateGrowth(database: Database, now: number, signal?: AbortSignal): Promise<void> {
  for (const kind of ['server', 'bot'] as const) {
    for await (const listings of publishedListings(database, kind, { batchSize: chunkSize })) {
      if (signal?.aborted) return;
      const changes: Query[] = [];
      for (const { id, growth } of listings) {
        const change = await growthOf(database, id, now);
        const update = database.updateTable('listings').set({ growth: change }).where('id', '=', id);
        if (change !== growth) changes.push(update.compile());
        await setImmediate();
      }
      if (changes.length > 0) await database.batch(changes);
    }
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
