import { day } from '../../platform/durations.ts';
import { TallyhookError } from '../../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import { rotateSecret, upsertWebhook } from '../storage/deliveries/webhooks.ts';
import { newSecret } from '../storage/secrets.ts';
import type { WebhookFamily } from '../storage/tables.ts';
import { checkTarget, type TargetPolicy } from '../webhooks/target.ts';

/** How long the previous secret remains valid after a rotation (ms). */
export const rotationOverlapMs = 1 * day;

/**
 * Sets the URL of a family of webhooks. Without a secret, the stored one is used, or a new one if there is none. The
 * URL is checked now and before every request.
 * @returns the secret that signs from now on
 * @throws RejectedTargetError
 */
export async function configureWebhook(
  database: Database,
  webhook: { listingId: string; family: WebhookFamily; url: string; secret?: string | undefined },
  targets: TargetPolicy,
): Promise<string> {
  const { listingId, family } = webhook;
  const url = (await checkTarget(webhook.url, targets)).url.href;
  const secret = webhook.secret ?? newSecret(family);
  return upsertWebhook(database, { listingId, family, url, secret }, { replace: webhook.secret !== undefined });
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
  if (!(await rotateSecret(database, { listingId, family }, secret, now + rotationOverlapMs))) {
    throw new TallyhookError('no_webhook', `The listing has no webhook for ${family} events.`);
  }
  return secret;
}
