import { sql as expression } from 'kysely';
import type { Database } from './database.ts';

/** The queue of webhook deliveries. */
export interface QueueState {
  /** Deliveries that wait for an attempt, at most {@link maxCounted}. */
  readonly waiting: number;
  /** When the delivery became due that has been due for the longest time (ms since the epoch); null if none is due. */
  readonly dueSince: number | null;
  /** Webhooks that are paused, because they only failed. */
  readonly paused: number;
}

/** Counting is bounded, because a queue of millions would make each scrape slow. */
export const maxCounted = 100_000;
/** The deliveries that are read to find one of a webhook that is not paused, before each webhook is read. */
const maxOldest = 1_000;

/** Reads the state of the queue. Deliveries of paused webhooks wait, but are not due. @param now ms since the epoch */
export async function readQueueState(database: Database, now: number): Promise<QueueState> {
  const count = database.fn.countAll<number>().as('count');
  const waitingRows = database
    .selectFrom('deliveries')
    .select('id')
    .where('state', '=', 'waiting')
    .limit(maxCounted)
    .as('waiting_rows');
  const waiting = await database.selectFrom(waitingRows).select(count).executeTakeFirst();
  const paused = await database
    .selectFrom('webhooks')
    .select(count)
    .where('paused_at', 'is not', null)
    .executeTakeFirst();
  return {
    waiting: Number(waiting?.count ?? 0),
    paused: Number(paused?.count ?? 0),
    dueSince: await oldestDueAt(database, now),
  };
}

async function oldestDueAt(database: Database, now: number): Promise<number | null> {
  const oldest = await database
    .selectFrom('deliveries')
    .leftJoin('webhooks', (join) =>
      join
        .onRef('webhooks.listing_id', '=', 'deliveries.listing_id')
        .onRef('webhooks.family', '=', 'deliveries.family')
        .on('webhooks.paused_at', 'is', null),
    )
    .select(['webhooks.url', 'deliveries.next_attempt_at'])
    .where('deliveries.state', '=', 'waiting')
    .where('deliveries.next_attempt_at', '<=', now)
    .orderBy('deliveries.next_attempt_at')
    .limit(maxOldest)
    .execute();
  const first = oldest.find(({ url }) => url !== null);
  if (first !== undefined) return first.next_attempt_at;
  return oldest.length < maxOldest ? null : oldestDueOfActiveWebhooks(database, now);
}

/** Reads one row of each webhook, so that the many deliveries of a paused one cost nothing. */
async function oldestDueOfActiveWebhooks(database: Database, now: number): Promise<number | null> {
  const { rows } = await expression<{ at: number | null }>`
    select min((
      select min(next_attempt_at) from deliveries
      where state = 'waiting' and listing_id = webhooks.listing_id and family = webhooks.family
        and next_attempt_at <= ${now}
    )) as at from webhooks where paused_at is null`.execute(database);
  return rows[0]?.at ?? null;
}
