import { sql as expression, type RawBuilder } from 'kysely';
import type { Sql } from './database.ts';
import { deliveryOfRow, type WebhookDelivery, type WebhookKey } from './deliveries.ts';
import type { Row } from './tables.ts';

/** What to claim: at most `limit` deliveries that are due at `now`, with a lease until `leaseUntil` (ms since the epoch). */
interface Claim {
  readonly now: number;
  readonly leaseUntil: number;
  /** Webhooks that have enough requests in flight. */
  readonly except: readonly WebhookKey[];
  readonly limit: number;
}

/** Deliveries that are read in the order of their due times before the webhooks are searched one by one. */
const maxHeads = 100;

/**
 * Claims of each webhook the delivery that has been due for the longest time. Deliveries of paused webhooks, of webhooks
 * in `except`, and with another lease are left out.
 */
export async function claimDeliveries(sql: Sql, claim: Claim): Promise<WebhookDelivery[]> {
  const oldest = await claimHeads(sql, claim, oldestDue(claim));
  return oldest.length > 0 ? oldest : claimHeads(sql, claim, oldestOfEach(claim));
}

/** The rows that have been due for the longest time, of whatever webhook. */
function oldestDue({ now }: Claim): RawBuilder<unknown> {
  return expression`
    select listing_id, family, id, next_attempt_at from deliveries
    where state = 'waiting' and next_attempt_at <= ${now} and (leased_until is null or leased_until <= ${now})
    order by next_attempt_at limit ${maxHeads}`;
}

/**
 * The first row of each webhook. It jumps from webhook to webhook in an index, so it does not read the rows that have to
 * wait for the others of their webhook, however many there are.
 */
function oldestOfEach({ now }: Claim): RawBuilder<unknown> {
  return expression`
    with recursive queues (listing_id, family) as (
      select * from (
        select listing_id, family from deliveries where state = 'waiting' order by listing_id, family limit 1
      )
      union all
      select following.listing_id, following.family from queues
      join deliveries as following on following.rowid = coalesce(
        (
          select rowid from deliveries
          where state = 'waiting' and listing_id = queues.listing_id and family > queues.family
          order by family limit 1
        ),
        (
          select rowid from deliveries where state = 'waiting' and listing_id > queues.listing_id
          order by listing_id, family limit 1
        )
      )
    )
    select head.listing_id, head.family, head.id, head.next_attempt_at from queues
    join deliveries as head on head.rowid = (
      select rowid from deliveries
      where state = 'waiting' and listing_id = queues.listing_id and family = queues.family
        and next_attempt_at <= ${now} and (leased_until is null or leased_until <= ${now})
      order by next_attempt_at limit 1
    )`;
}

async function claimHeads(
  sql: Sql,
  { leaseUntil, except, limit }: Claim,
  heads: RawBuilder<unknown>,
): Promise<WebhookDelivery[]> {
  const excluded = except.map(
    ({ listingId, family }) => expression`and (heads.listing_id != ${listingId} or heads.family != ${family})`,
  );
  // With min(), SQLite takes the id from the row that has the minimum.
  const { rows } = await expression<Row<'deliveries'>>`
    update deliveries set leased_until = ${leaseUntil} where id in (
      select id from (
        select heads.id as id, min(heads.next_attempt_at) as due_at from (${heads}) as heads
        join webhooks on webhooks.listing_id = heads.listing_id and webhooks.family = heads.family
        where webhooks.paused_at is null ${excluded.length === 0 ? expression`` : expression.join(excluded, expression` `)}
        group by heads.listing_id, heads.family
      ) order by due_at limit ${limit}
    )
    returning *`.execute(sql);
  return rows.map(deliveryOfRow);
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
    )`.execute(sql);
  return rows[0]?.at ?? null;
}
