import { randomUUID } from 'node:crypto';
import type { Sql } from '../storage/database.ts';
import { findWebhookDelivery, insertDelivery, type WebhookDelivery } from '../storage/deliveries.ts';
import { findWebhook } from '../storage/webhooks.ts';
import { type Payload, webhookFamilyOf } from './payloads.ts';

/**
 * Queues an event in the transaction that causes it, so that both are stored or neither is. Returns null if the listing
 * has no webhook of this family.
 * @param leasedUntil keeps the delivery from the dispatcher until then (ms since the epoch), if the caller sends it
 * itself
 */
export async function enqueue(
  sql: Sql,
  listingId: string,
  payload: Payload,
  now: number,
  leasedUntil: number | null = null,
): Promise<WebhookDelivery | null> {
  const family = webhookFamilyOf(payload.event);
  if ((await findWebhook(sql, listingId, family)) === null) return null;
  const id = randomUUID();
  const test = payload['test'] === true;
  const body = JSON.stringify(payload);
  await insertDelivery(sql, { id, listingId, family, event: payload.event, test, body, createdAt: now }, leasedUntil);
  return findWebhookDelivery(sql, id);
}
