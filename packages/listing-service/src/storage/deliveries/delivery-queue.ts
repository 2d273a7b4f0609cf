import type { DatabaseSnapshot } from '@tallyhook/platform/database/snapshots/snapshot';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Sql } from '../database.ts';
import type { ServiceTables } from '../tables.ts';

/**
 * Moves the times of waiting deliveries after the clock was set back by `stepMs`, to `now`, while the dispatcher was
 * running.
 * @param times.maxLeaseMs a lease that ends later was taken before the change
 */
export async function shiftDeliveryTimes(
  sql: Sql,
  { stepMs, now, maxLeaseMs }: { stepMs: number; now: number; maxLeaseMs: number },
): Promise<void> {
  const waiting = sql.updateTable('deliveries').where('state', '=', 'waiting');
  await waiting
    .where('next_attempt_at', '>', now)
    .set((set) => ({ next_attempt_at: set('next_attempt_at', '-', stepMs) }))
    .execute();
  // A shorter lease may belong to another process that already detected the change.
  await waiting
    .where('leased_until', '>', now + maxLeaseMs)
    .set((set) => ({ leased_until: set('leased_until', '-', stepMs) }))
    .execute();
}

/**
 * Makes deliveries due whose last activity has a timestamp after `now`: the clock was set back while no dispatcher was
 * running, by an unknown amount.
 * @param times.maxLeaseMs a lease that ends later was taken before the change
 */
export async function resetFutureDeliveries(
  sql: Sql,
  { now, maxLeaseMs }: { now: number; maxLeaseMs: number },
): Promise<void> {
  const waiting = sql.updateTable('deliveries').where('state', '=', 'waiting');
  await waiting
    .where('next_attempt_at', '>', now)
    .where((row) =>
      row.or([
        row('attempts', '=', 0),
        row.exists(
          row
            .selectFrom('attempts')
            .select('attempts.id')
            .whereRef('attempts.delivery_id', '=', 'deliveries.id')
            .where('attempts.at', '>', now),
        ),
      ]),
    )
    .set({ next_attempt_at: now })
    .execute();
  await waiting
    .where('leased_until', '>', now + maxLeaseMs)
    .set({ leased_until: null })
    .execute();
}

/** The queue of webhook deliveries. Times are ms since the epoch. */
export interface QueueState {
  /** Deliveries that wait for an attempt, counted up to 100,000. */
  readonly waiting: number;
  /** When the delivery became due that has been due for the longest time; null if none is due. */
  readonly dueSince: number | null;
  /** Webhooks that are paused, by their owner or because they only failed. */
  readonly paused: number;
}

/** Builds statements and runs them: a database or a snapshot of it. */
export type Queries = Pick<DatabaseSnapshot<ServiceTables>, 'db' | 'run'>;

/** Counting is bounded, because a queue of millions would make each scrape slow. */
const maxCounted = 100_000;
/** The deliveries that are read to find one of a webhook that is not paused, before each webhook is read. */
const maxOldest = 1_000;

export function queriesOf(database: Database): Queries {
  return { db: database, run: async (query) => (await database.executeQuery(query.compile())).rows };
}

/** Reads the state of the queue. Deliveries of paused webhooks wait, but are not due. @param now ms since the epoch */
export async function readQueueState({ db, run }: Queries, now: number): Promise<QueueState> {
  const rowsOf = <Row>(statement: RawBuilder<Row>) => run({ compile: () => statement.compile(db) });
  const count = db.fn.countAll<number>().as('count');
  const waitingRows = db.selectFrom('deliveries').select('id').where('state', '=', 'waiting').limit(maxCounted);
  const [waiting] = await run(db.selectFrom(waitingRows.as('waiting_rows')).select(count));
  const [paused] = await run(db.selectFrom('webhooks').select(count).where('paused_at', 'is not', null));

  async function oldestDueAt(): Promise<number | null> {
    const oldest = await run(
      db
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
        .limit(maxOldest),
    );
    const first = oldest.find(({ url }) => url !== null);
    if (first !== undefined) return first.next_attempt_at;
    if (oldest.length < maxOldest) return null;
    // Reads one row of each webhook, so that the many deliveries of a paused one cost nothing.
    const [row] = await rowsOf(sql<{ at: number | null }>`
      select min((
        select min(next_attempt_at) from deliveries
        where state = 'waiting' and listing_id = webhooks.listing_id and family = webhooks.family
          and next_attempt_at <= ${now}
      )) as at from webhooks where paused_at is null`);
    return row?.at ?? null;
  }

  return { waiting: Number(waiting?.count ?? 0), paused: Number(paused?.count ?? 0), dueSince: await oldestDueAt() };
}
