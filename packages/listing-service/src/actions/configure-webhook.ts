import { randomUUID } from 'node:crypto';
import { day } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { checkTarget, type TargetPolicy } from '@tallyhook/platform/webhooks/target';
import type { Listing } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { type DeliveryAttempt, insertDelivery } from '../storage/deliveries/deliveries.ts';
import { findWebhook, upsertWebhook } from '../storage/deliveries/webhooks.ts';
import { lockListingOf } from '../storage/listings/co-owners.ts';
import type { ServiceMember } from '../storage/members/members.ts';
import { newSecret } from '../storage/secrets.ts';
import { attemptDelivery, type DeliveryContext, webhookResponseTimeoutMs } from '../webhooks/attempt.ts';
import { newDelivery } from '../webhooks/enqueue.ts';
import type { WebhookFamily } from '../webhooks/event-kinds.ts';
import { type Payload, purchasePayload, votePayload } from '../webhooks/payloads.ts';
import { newPurchase } from './orders.ts';

/** How long the previous secret remains valid after a rotation (ms). */
export const rotationOverlapMs = 1 * day;

export interface WebhookSettings {
  readonly listingId: string;
  readonly family: WebhookFamily;
  readonly url: string;
  readonly secret?: string | undefined;
}

/**
 * Sets the URL of a family of webhooks. Without a secret, the stored one is used, or a new one if there is none. The
 * URL is checked now and before every request.
 * @returns the secret that signs from now on
 * @throws RejectedTargetError
 */
export async function configureWebhook(
  database: Database,
  webhook: WebhookSettings,
  targets: TargetPolicy,
): Promise<string> {
  const checked = await checkWebhook(webhook, targets);
  return upsertWebhook(database, checked, { replace: webhook.secret !== undefined });
}

/**
 * Configures a webhook on behalf of a member, as {@link configureWebhook} does; null if the member may not edit the
 * listing any more. A host name can take seconds to resolve, and another member may take over the listing meanwhile.
 */
export async function configureOwnersWebhook(
  database: Database,
  webhook: WebhookSettings & { readonly userId: string },
  targets: TargetPolicy,
): Promise<string | null> {
  const checked = await checkWebhook(webhook, targets);
  return database.transaction().execute(async (sql) => {
    if (!(await lockListingOf(sql, webhook.listingId, webhook.userId))) return null;
    return upsertWebhook(sql, checked, { replace: webhook.secret !== undefined });
  });
}

async function checkWebhook({ listingId, family, url, secret }: WebhookSettings, targets: TargetPolicy) {
  const { href } = (await checkTarget(url, targets)).url;
  return { listingId, family, url: href, secret: secret ?? newSecret(family) };
}

/**
 * Creates a new secret, which signs from now on. For a day, a delivery that the receiver rejects with 401 is sent
 * again, signed with the previous secret, so that no delivery is lost before the receiver has the new one.
 * @returns the new secret, which cannot be shown again
 * @throws TallyhookError `no_webhook`
 */
export async function rotateWebhookSecret(
  database: Database,
  listingId: string,
  family: WebhookFamily,
  now: number,
): Promise<string> {
  const secret = newSecret(family);
  const { numUpdatedRows } = await database
    .updateTable('webhooks')
    .set(({ ref }) => ({ previous_secret: ref('secret'), secret, previous_until: now + rotationOverlapMs }))
    .where('listing_id', '=', listingId)
    .where('family', '=', family)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    throw new TallyhookError('no_webhook', `The listing has no webhook for ${family} events.`);
  }
  return secret;
}

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
  const delivery = newDelivery(listing.id, payload, now);
  // Keeps it from the dispatchers.
  const lease = { id: randomUUID(), until: now + 4 * webhookResponseTimeoutMs };
  const isQueued = await insertDelivery(context.database, delivery, lease);
  const webhook = await findWebhook(context.database, listing.id, family);
  if (!isQueued || webhook === null) return null;
  const state = { state: 'waiting', attempts: 0, nextAttemptAt: now, leaseId: lease.id } as const;
  return attemptDelivery({ ...delivery, ...state, webhook }, context);
}

function testPayload(listing: Listing, family: WebhookFamily, member: ServiceMember, now: number): Payload {
  if (family === 'vote') {
    const details = { voter: member, at: now, creditsAwarded: true, adBlocker: false, denialReason: null, test: true };
    return votePayload(listing, details);
  }
  return purchasePayload(listing, newPurchase(listing.id, { buyer: member }, now), now, true);
}
