import { day } from '../../platform/durations.ts';
import { TallyhookError } from '../../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import { newSecret } from '../storage/secrets.ts';
import type { WebhookFamily } from '../storage/tables.ts';
import { findWebhook, rotateSecret, updateWebhookUrl, upsertWebhook } from '../storage/webhooks.ts';
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
  return database.transaction().execute(async (sql) => {
    const existing = await findWebhook(sql, listingId, family);
    if (existing && webhook.secret === undefined) {
      await updateWebhookUrl(sql, { listingId, family, url });
      return existing.secret;
    }
    const secret = webhook.secret ?? newSecret(family);
    await upsertWebhook(sql, { listingId, family, url, secret });
    return secret;
  });
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
  return database.transaction().execute(async (sql) => {
    const webhook = await findWebhook(sql, listingId, family);
    if (webhook === null) throw new TallyhookError('no_webhook', `The listing has no webhook for ${family} events.`);
    const secret = newSecret(family);
    await rotateSecret(sql, webhook, secret, now + rotationOverlapMs);
    return secret;
  });
}
