import { randomUUID } from 'node:crypto';
import type { Sql } from '../storage/database.ts';
import { findWebhookDelivery, insertDelivery, type WebhookDelivery } from '../storage/deliveries.ts';
import { findWebhook } from '../storage/webhooks.ts';
import { type Payload, webhookFamilyOf } from './payloads.ts';

/**
 * Writes an event into the queue, inside the transaction of what happened: either both are kept or neither. Where the owner
 * wants no webhooks of this family there is nothing to write, and the answer is null.
 * @param hold keeps the delivery from the dispatcher until then (ms since the epoch), for one who sends it himself.
 */
export async function enqueue(
  sql: Sql,
  listingId: string,
  payload: Payload,
  now: number,
  hold: number | null = null,
): Promise<WebhookDelivery | null> {
  const family = webhookFamilyOf(payload.event);
  if ((await findWebhook(sql, listingId, family)) === null) return null;
  const id = randomUUID();
  const test = payload['test'] === true;
  const body = JSON.stringify(payload);
  await insertDelivery(sql, { id, listingId, family, event: payload.event, test, body, createdAt: now }, hold);
  return findWebhookDelivery(sql, id);
}
