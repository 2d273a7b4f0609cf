import { attemptsOf, type DeliveryAttempt } from './attempts.ts';
import type { Sql } from './database.ts';
import { deliveriesOf, type WebhookDelivery } from './deliveries.ts';

/** A delivery with everything that was tried for it, from the first to the last. */
export type WebhookDeliveryRecord = WebhookDelivery & { readonly tried: readonly DeliveryAttempt[] };

/** The last deliveries of a listing, the newest first, each with its attempts. */
export async function deliveryRecords(sql: Sql, listingId: string, limit: number): Promise<WebhookDeliveryRecord[]> {
  const deliveries = await deliveriesOf(sql, listingId, limit);
  const attempts = await attemptsOf(
    sql,
    deliveries.map(({ id }) => id),
  );
  return deliveries.map((delivery) => ({ ...delivery, tried: attempts.get(delivery.id) ?? [] }));
}
