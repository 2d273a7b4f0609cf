import type { Listing } from '../listing/listing.ts';
import type { DeliveryAttempt } from '../storage/attempts.ts';
import type { ServiceMember } from '../storage/members.ts';
import type { WebhookFamily } from '../storage/tables.ts';
import { answerTimeout, attemptDelivery, type DeliveryContext } from '../webhooks/attempt.ts';
import { enqueue } from '../webhooks/enqueue.ts';
import { type Payload, purchasePayload, votePayload } from '../webhooks/payloads.ts';
import { newPurchase } from './premium.ts';

/**
 * "Test Webhook": sends one test delivery at once, also to a paused endpoint, and says what came of it. It is tried once; a
 * success ends a pause. Null where the owner has set no address for this family.
 */
export async function testWebhook(
  sending: DeliveryContext,
  listing: Listing,
  family: WebhookFamily,
  asking: ServiceMember,
): Promise<DeliveryAttempt | null> {
  const now = sending.clock.now();
  const payload = testPayload(listing, family, asking, now);
  const delivery = await enqueue(sending.database, listing.id, payload, now, now + 4 * answerTimeout);
  return delivery === null ? null : attemptDelivery(delivery, sending);
}

function testPayload(listing: Listing, family: WebhookFamily, asking: ServiceMember, now: number): Payload {
  if (family === 'vote') {
    const facts = { voter: asking, at: now, creditsAwarded: true, adBlocker: false, denialReason: null, test: true };
    return votePayload(listing, facts);
  }
  return purchasePayload(listing, newPurchase(listing.id, { buyer: asking }, now), now, true);
}
