import { randomUUID } from 'node:crypto';
import { sql as expression, type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../../../platform/database/dialect.ts';
import type { DatabaseSnapshot } from '../../../platform/database/snapshots/snapshot.ts';
import type { Database, Sql } from '../database.ts';
import type { Row, ServiceTables } from '../tables.ts';
import { deliveryOfRow, type LeasedDelivery, type WebhookKey } from './deliveries.ts';

/** What to claim: at most `limit` deliveries that are due at `now`, with a lease until `leaseUntil` (ms since the epoch). */
export interface Claim {
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
  /** How many deliveries of a webhook at most, unless it is in `capacities`. */
  readonly maxPerWebhook: number;
  /** Webhooks with requests in flight, and how many more deliveries they may have. */
  readonly capacities: readonly (WebhookKey & { readonly capacity: number })[];
}

/** Deliveries that are read in the order of their due times before the webhooks are searched one by one. */
const maxHeads = 100;

/**
 * Claims deliveries that are due: those that have been due for the longest time, or if those all have to wait for others
 * of their webhooks, the first of each other webhook. Deliveries of paused webhooks and with another lease are left out.
 */
export async function claimDeliveries(sql: Sql, dialect: SqlDialect, claim: Claim): Promise<LeasedDelivery[]> {
  const oldest = await claimFrom(sql, dialect, claim, oldestDue(claim));
  if (oldest.length > 0 || !(await hasMoreThanOldest(sql, claim))) return oldest;
  return claimFrom(sql, dialect, claim, oldestOfEach(claim));
}

/** Whether more deliveries are due than the oldest: only then is it worth to search each webhook, which may be many. */
async function hasMoreThanOldest(sql: Sql, claim: Claim): Promise<boolean> {
  const { rows } = await expression`
    select 1 from deliveries where ${isFree(claim)} order by next_attempt_at limit 1 offset ${maxHeads}`.execute(sql);
  return rows.length > 0;
}

function isFree({ now }: Claim): RawBuilder<boolean> {
  return expression`state = 'waiting' and next_attempt_at <= ${now} and (leased_until is null or leased_until <= ${now})`;
}

/** The rows that have been due for the longest time, of whatever webhook. */
function oldestDue(claim: Claim): RawBuilder<unknown> {
  return expression`
    select listing_id, family, id, next_attempt_at,
      row_number() over (partition by listing_id, family order by next_attempt_at, id) as place
    from (
      select listing_id, family, id, next_attempt_at from deliveries
      where ${isFree(claim)} order by next_attempt_at limit ${maxHeads}
    ) as due`;
}

/**
 * The first row of each webhook. It jumps from webhook to webhook in an index, so it does not read the rows that have to
 * wait for the others of their webhook, however many there are.
 */
function oldestOfEach(claim: Claim): RawBuilder<unknown> {
  return expression`
    with recursive queues (listing_id, family) as (
      select * from (
        select listing_id, family from deliveries where state = 'waiting' order by listing_id, family limit 1
      ) as first
      union all
      select following.listing_id, following.family from queues
      join deliveries as following on following.id = coalesce(
        (
          select id from deliveries
          where state = 'waiting' and listing_id = queues.listing_id and family > queues.family
          order by family limit 1
        ),
        (
          select id from deliveries where state = 'waiting' and listing_id > queues.listing_id
          order by listing_id, family limit 1
        )
      )
    )
    select head.listing_id, head.family, head.id, head.next_attempt_at, 1 as place from queues
    join deliveries as head on head.id = (
      select id from deliveries
      where listing_id = queues.listing_id and family = queues.family and ${isFree(claim)}
      order by next_attempt_at limit 1
    )`;
}

async function claimFrom(
  sql: Sql,
  { name }: SqlDialect,
  claim: Claim,
  heads: RawBuilder<unknown>,
): Promise<LeasedDelivery[]> {
  const leaseId = randomUUID();
  // Another process may claim the same rows at the same time: then each gets those that the other has not locked.
  const skipLocked = name === 'postgres' ? expression`for update skip locked` : expression``;
  const { rows } = await expression<Row<'deliveries'>>`
    update deliveries set leased_until = ${claim.leaseUntil}, lease_id = ${leaseId} where id in (
      select id from deliveries where ${isFree(claim)} and id in (
        select heads.id from (${heads}) as heads
        join webhooks on webhooks.listing_id = heads.listing_id and webhooks.family = heads.family
        where webhooks.paused_at is null and heads.place <= ${capacityOf(claim)}
        order by heads.next_attempt_at limit ${claim.limit}
      ) ${skipLocked}
    )
    returning *`.execute(sql);
  return rows.map((row) => ({ ...deliveryOfRow(row), leaseId }));
}

function capacityOf({ capacities, maxPerWebhook }: Claim): RawBuilder<number> {
  if (capacities.length === 0) return expression.lit(maxPerWebhook);
  const cases = capacities.map(
    ({ listingId, family, capacity }) =>
      expression`when heads.listing_id = ${listingId} and heads.family = ${family} then ${expression.lit(capacity)}`,
  );
  return expression`case ${expression.join(cases, expression` `)} else ${expression.lit(maxPerWebhook)} end`;
}

/**
 * The first time after `now` when a delivery becomes due or a lease ends (ms since the epoch); null if there is none. To
 * be read in the transaction of the claims, so that nothing becomes due between them.
 */
export async function nextDeliveryDueAt(sql: Sql, now: number): Promise<number | null> {
  const { rows } = await expression<{ at: number | null }>`
    select min(at) as at from (
      select min(next_attempt_at) as at from deliveries where state = 'waiting' and next_attempt_at > ${now}
      union all
      select min(leased_until) from deliveries where leased_until is not null and leased_until > ${now}
    ) as times`.execute(sql);
  return rows[0]?.at ?? null;
}

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

  return {
    waiting: Number(waiting?.count ?? 0),
    paused: Number(paused?.count ?? 0),
    dueSince: await oldestDueAt(),
  };
}
