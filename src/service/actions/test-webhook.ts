import type { Listing } from '../listing/listing.ts';
import type { DeliveryAttempt } from '../storage/deliveries/attempts.ts';
import type { ServiceMember } from '../storage/members/members.ts';
import type { WebhookFamily } from '../storage/tables.ts';
import { attemptDelivery, type DeliveryContext, webhookResponseTimeoutMs } from '../webhooks/attempt.ts';
import { enqueueLeased } from '../webhooks/enqueue.ts';
import { type Payload, purchasePayload, votePayload } from '../webhooks/payloads.ts';
import { newPurchase } from './orders.ts';

/**
 * "Test Webhook": sends one test delivery immediately, also to a paused webhook, and returns the attempt. It is not
 * retried. A success ends the pause. Null if the listing has no webhook of this family.
 */
export async function testWebhook(
  context: DeliveryContext,
  listing: Listing,
  family: WebhookFamily,
  member: ServiceMember,
): Promise<DeliveryAttempt | null> {
  const now = context.clock.now();
  const payload = testPayload(listing, family, member, now);
  const delivery = await enqueueLeased(context.database, listing.id, payload, now, now + 4 * webhookResponseTimeoutMs);
  return delivery === null ? null : attemptDelivery(delivery, context);
}

function testPayload(listing: Listing, family: WebhookFamily, member: ServiceMember, now: number): Payload {
  if (family === 'vote') {
    const details = { voter: member, at: now, creditsAwarded: true, adBlocker: false, denialReason: null, test: true };
    return votePayload(listing, details);
  }
  return purchasePayload(listing, newPurchase(listing.id, { buyer: member }, now), now, true);
}
