import { sql as expression } from 'kysely';
import type { WebhookFamily } from '../../webhooks/event-kinds.ts';
import type { Database, Sql } from '../database.ts';
import type { DeliveryState, Row } from '../tables.ts';

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

/** A delivery that this process may send, as long as it has the lease. */
export interface LeasedDelivery extends WebhookDelivery {
  readonly leaseId: string;
}

/** The primary key of a webhook. */
export interface WebhookKey {
  readonly listingId: string;
  readonly family: WebhookFamily;
}

/** The key as a text, for maps. */
export function webhookName({ listingId, family }: WebhookKey): string {
  return `${listingId} ${family}`;
}

export type NewDelivery = Pick<
  WebhookDelivery,
  'id' | 'listingId' | 'family' | 'event' | 'test' | 'body' | 'createdAt'
>;

/**
 * Queues a delivery if the listing has a webhook of this family; otherwise false.
 * @param lease keeps it from the dispatchers until then (ms since the epoch)
 */
export async function insertDelivery(
  sql: Sql,
  delivery: NewDelivery,
  lease: { readonly id: string; readonly until: number } | null = null,
): Promise<boolean> {
  const { id, listingId, family, event, test, body, createdAt } = delivery;
  const { rows } = await expression`
    insert into deliveries (
      id, listing_id, family, event, test, body, created_at, state, attempts, next_attempt_at, leased_until, lease_id
    )
    select ${id}, listing_id, family, ${event}, ${test ? 1 : 0}, ${body}, ${createdAt}, 'waiting', 0, ${createdAt},
      ${lease?.until ?? null}, ${lease?.id ?? null} from webhooks
    where listing_id = ${listingId} and family = ${family} returning id`.execute(sql);
  return rows.length > 0;
}

/** Which deliveries of a listing to read, newest first. Without a state or family: all. */
export interface DeliverySelection {
  readonly limit: number;
  readonly state?: DeliveryState | undefined;
  readonly family?: WebhookFamily | undefined;
  /** Only those before this delivery. */
  readonly before?: Pick<WebhookDelivery, 'id' | 'createdAt'> | undefined;
}

async function deliveriesOf(
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

/** Deliveries that are deleted in one transaction: it holds up the votes of that moment. */
const deletedTogether = 500;

/**
 * Deletes some of the finished deliveries that were created before a time (ms since the epoch), with their attempts.
 * False if there are no more.
 */
export async function deleteOldDeliveries(database: Database, before: number): Promise<boolean> {
  return database.transaction().execute(async (sql) => {
    const expired = await sql
      .selectFrom('deliveries')
      .select('id')
      .where('state', '!=', expression.lit<DeliveryState>('waiting'))
      .where('created_at', '<', before)
      .orderBy('created_at')
      .limit(deletedTogether)
      .forUpdate()
      .skipLocked()
      .execute();
    if (expired.length === 0) return false;
    const ids = expired.map(({ id }) => id);
    await sql.deleteFrom('attempts').where('delivery_id', 'in', ids).execute();
    await sql.deleteFrom('deliveries').where('id', 'in', ids).execute();
    return expired.length === deletedTogether;
  });
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

/** One POST of one delivery and its result. */
export interface DeliveryAttempt {
  /** Start time (ms since the epoch). */
  readonly at: number;
  readonly durationMs: number;
  readonly url: string;
  /** The secret of the signature: `previous` only after a rotation, if the receiver rejected the current one. */
  readonly signedWith: 'current' | 'previous';
  /** The status of the response; null if there was none. */
  readonly status: number | null;
  /** Why the delivery failed; null if it succeeded. */
  readonly error: string | null;
  /** The beginning of the response body; null if there was no response. */
  readonly responseBody: string | null;
}

/** A delivery with all of its attempts, oldest first. */
export type WebhookDeliveryRecord = WebhookDelivery & { readonly attemptHistory: readonly DeliveryAttempt[] };

/** Deliveries of a listing with their attempts, newest delivery first. */
export async function deliveryRecords(
  sql: Sql,
  listingId: string,
  selection: DeliverySelection,
): Promise<WebhookDeliveryRecord[]> {
  const deliveries = await deliveriesOf(sql, listingId, selection);
  const records = new Map(
    deliveries.map((delivery) => [delivery.id, { ...delivery, attemptHistory: [] as DeliveryAttempt[] }]),
  );
  if (records.size === 0) return [];
  const attempts = await sql
    .selectFrom('attempts')
    .select(['delivery_id', 'at', 'duration_ms as durationMs', 'url', 'signed_with as signedWith'])
    .select(['status', 'error', 'answer as responseBody'])
    .where('delivery_id', 'in', [...records.keys()])
    .orderBy('id')
    .execute();
  for (const { delivery_id: id, ...attempt } of attempts) records.get(id)?.attemptHistory.push(attempt);
  return [...records.values()];
}
