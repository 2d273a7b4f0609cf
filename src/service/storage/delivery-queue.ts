import { sql as expression } from 'kysely';
import type { Sql } from './database.ts';
import { deliveryOfRow, type WebhookDelivery, type WebhookKey } from './deliveries.ts';
import type { Row } from './tables.ts';

/**
 * Claims of each webhook the delivery that has been due for the longest time, at most `limit` of them, with a lease until
 * `leaseUntil`. Deliveries of paused webhooks, of webhooks in `except`, and with another lease are left out.
 *
 * It jumps from webhook to webhook in an index, so it costs the same however many deliveries wait for one: they are not
 * read to find that all of them have to wait.
 */
export async function claimDeliveries(
  sql: Sql,
  claim: { now: number; leaseUntil: number; except: readonly WebhookKey[]; limit: number },
): Promise<WebhookDelivery[]> {
  const { now, leaseUntil, except, limit } = claim;
  const excluded = except.map(
    ({ listingId, family }) => expression`and (queues.listing_id != ${listingId} or queues.family != ${family})`,
  );
  const { rows } = await expression<Row<'deliveries'>>`
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
    update deliveries set leased_until = ${leaseUntil} where rowid in (
      select head.rowid from queues
      join webhooks on webhooks.listing_id = queues.listing_id and webhooks.family = queues.family
      join deliveries as head on head.rowid = (
        select rowid from deliveries
        where state = 'waiting' and listing_id = queues.listing_id and family = queues.family
          and next_attempt_at <= ${now} and (leased_until is null or leased_until <= ${now})
        order by next_attempt_at limit 1
      )
      where webhooks.paused_at is null ${expression.join(excluded, expression` `)}
      order by head.next_attempt_at, head.created_at limit ${limit}
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
