import { sql as expression } from 'kysely';
import type { Sql } from './database.ts';
import type { DeliveryState, Row, WebhookFamily } from './tables.ts';

/** One event that is sent to the webhook of a listing. */
export interface WebhookDelivery {
  readonly id: string;
  readonly listingId: string;
  readonly family: WebhookFamily;
  /** The event type in the payload: `server_vote`, `subscription.renewed`, … */
  readonly event: string;
  /** Created by "Test Webhook". */
  readonly test: boolean;
  /** The exact text that is signed and sent: JSON. */
  readonly body: string;
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly state: DeliveryState;
  /** Number of attempts since it was last queued. */
  readonly attempts: number;
  /** Earliest time of the next attempt (ms since the epoch). */
  readonly nextAttemptAt: number;
}

/** The primary key of a webhook. */
export interface WebhookKey {
  readonly listingId: string;
  readonly family: WebhookFamily;
}

export async function insertDelivery(
  sql: Sql,
  delivery: Pick<WebhookDelivery, 'id' | 'listingId' | 'family' | 'event' | 'test' | 'body' | 'createdAt'>,
  leasedUntil: number | null = null,
): Promise<void> {
  await sql
    .insertInto('deliveries')
    .values({
      id: delivery.id,
      listing_id: delivery.listingId,
      family: delivery.family,
      event: delivery.event,
      test: delivery.test ? 1 : 0,
      body: delivery.body,
      created_at: delivery.createdAt,
      state: 'waiting',
      attempts: 0,
      next_attempt_at: delivery.createdAt,
      leased_until: leasedUntil,
    })
    .execute();
}

export async function findWebhookDelivery(sql: Sql, id: string): Promise<WebhookDelivery | null> {
  const row = await sql.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? deliveryOfRow(row) : null;
}

/** Which deliveries of a listing to read, newest first. Without a state or family: all. */
export interface DeliverySelection {
  readonly limit: number;
  readonly state?: DeliveryState | undefined;
  readonly family?: WebhookFamily | undefined;
  /** Only those before this delivery. */
  readonly before?: Pick<WebhookDelivery, 'id' | 'createdAt'> | undefined;
}

export async function deliveriesOf(
  sql: Sql,
  listingId: string,
  { limit, state, family, before }: DeliverySelection,
): Promise<WebhookDelivery[]> {
  let query = sql.selectFrom('deliveries').selectAll().where('listing_id', '=', listingId);
  // Written out, since some indexes contain only rows of one state.
  if (state !== undefined) query = query.where('state', '=', expression.lit(state));
  if (family !== undefined) query = query.where('family', '=', family);
  if (before !== undefined) {
    const { createdAt, id } = before;
    query = query
      .where('created_at', '<=', createdAt)
      .where((row) => row.or([row('created_at', '<', createdAt), row('id', '<', id)]));
  }
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  return rows.map(deliveryOfRow);
}

/** Stores the result of an attempt and ends the lease. */
export async function settleDelivery(
  sql: Sql,
  id: string,
  next: { state: DeliveryState; attempts: number; nextAttemptAt: number },
): Promise<void> {
  await sql
    .updateTable('deliveries')
    .set({
      state: next.state,
      attempts: next.attempts,
      next_attempt_at: next.nextAttemptAt,
      leased_until: null,
    })
    .where('id', '=', id)
    .execute();
}

/** Ends the lease of a delivery without a result. */
export async function releaseDelivery(sql: Sql, id: string): Promise<void> {
  await sql.updateTable('deliveries').set({ leased_until: null }).where('id', '=', id).execute();
}

/**
 * Queues a delivery of this listing again with its attempts reset; false if the listing has no delivery with this id.
 */
export async function requeueDelivery(sql: Sql, listingId: string, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('deliveries')
    .set({ state: 'waiting', attempts: 0, next_attempt_at: now })
    .where('id', '=', id)
    .where('listing_id', '=', listingId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes the finished deliveries that were created before a time (ms since the epoch), with their attempts. */
export async function deleteOldDeliveries(sql: Sql, before: number): Promise<void> {
  const expiredIds = sql
    .selectFrom('deliveries')
    .select('id')
    .where('state', '!=', 'waiting')
    .where('created_at', '<', before);
  await sql.deleteFrom('attempts').where('delivery_id', 'in', expiredIds).execute();
  await sql.deleteFrom('deliveries').where('state', '!=', 'waiting').where('created_at', '<', before).execute();
}

export function deliveryOfRow(row: Row<'deliveries'>): WebhookDelivery {
  return {
    id: row.id,
    listingId: row.listing_id,
    family: row.family,
    event: row.event,
    test: row.test === 1,
    body: row.body,
    createdAt: row.created_at,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
  };
}
