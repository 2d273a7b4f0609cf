import type { Sql } from './database.ts';
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

export async function insertAttempt(sql: Sql, deliveryId: string, attempt: DeliveryAttempt): Promise<void> {
  await sql
    .insertInto('attempts')
    .values({
      delivery_id: deliveryId,
      at: attempt.at,
      duration_ms: attempt.durationMs,
      url: attempt.url,
      signed_with: attempt.signedWith,
      status: attempt.status,
      error: attempt.error,
      answer: attempt.responseBody,
    })
    .execute();
}

/** The attempts of these deliveries by delivery id, oldest first. */
async function attemptsOf(sql: Sql, deliveryIds: readonly string[]): Promise<Map<string, DeliveryAttempt[]>> {
  const attempts = new Map<string, DeliveryAttempt[]>(deliveryIds.map((id) => [id, []]));
  if (deliveryIds.length === 0) return attempts;
  const rows = await sql
    .selectFrom('attempts')
    .selectAll()
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('id')
    .execute();
  for (const row of rows) {
    attempts.get(row.delivery_id)?.push({
      at: row.at,
      durationMs: row.duration_ms,
      url: row.url,
      signedWith: row.signed_with,
      status: row.status,
      error: row.error,
      responseBody: row.answer,
    });
  }
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
