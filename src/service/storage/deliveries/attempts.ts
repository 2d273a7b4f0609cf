import { sql as expression } from 'kysely';
import type { Sql } from '../database.ts';
import { type DeliverySelection, deliveriesOf, type WebhookDelivery } from './deliveries.ts';

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

/** The statement that stores an attempt, unless the delivery was deleted meanwhile. */
export function insertAttempt(sql: Sql, deliveryId: string, attempt: DeliveryAttempt) {
  const { at, durationMs, url, signedWith, status, error, responseBody } = attempt;
  const values = [at, durationMs, url, signedWith, status, error, responseBody].map((value) => expression`${value}`);
  return sql
    .insertInto('attempts')
    .columns(['delivery_id', 'at', 'duration_ms', 'url', 'signed_with', 'status', 'error', 'answer'])
    .expression(expression`select id, ${expression.join(values)} from deliveries where id = ${deliveryId}`);
}

/** The attempts of these deliveries by delivery id, oldest first. */
export async function attemptsOf(sql: Sql, deliveryIds: readonly string[]): Promise<Map<string, DeliveryAttempt[]>> {
  const attempts = new Map<string, DeliveryAttempt[]>(deliveryIds.map((id) => [id, []]));
  if (deliveryIds.length === 0) return attempts;
  const rows = await sql
    .selectFrom('attempts')
    .select(['delivery_id', 'at', 'duration_ms as durationMs', 'url', 'signed_with as signedWith'])
    .select(['status', 'error', 'answer as responseBody'])
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('id')
    .execute();
  for (const { delivery_id, ...attempt } of rows) attempts.get(delivery_id)?.push(attempt);
  return attempts;
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
  const attempts = await attemptsOf(
    sql,
    deliveries.map(({ id }) => id),
  );
  return deliveries.map((delivery) => ({ ...delivery, attemptHistory: attempts.get(delivery.id) ?? [] }));
}
