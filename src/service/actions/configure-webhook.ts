import { day } from '../../platform/durations.ts';
import { TallyhookError } from '../../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import { newSecret } from '../storage/secrets.ts';
import type { WebhookFamily } from '../storage/tables.ts';
import { findWebhook, moveWebhook, rotateSecret, upsertWebhook } from '../storage/webhooks.ts';
import { checkTarget, type TargetPolicy } from '../webhooks/target.ts';

/** How long the secret before a rotation stays in use (ms). */
export const rotationOverlap = 1 * day;

/**
 * Sets where a family of webhooks goes. The first time a secret is made, if none is given; a later change of the address keeps
 * it. Every address is checked now, and again whenever something is sent there.
 * @returns the secret that signs from now on.
 * @throws RefusedTarget
 */
export async function configureWebhook(
  database: Database,
  webhook: { listingId: string; family: WebhookFamily; url: string; secret?: string | undefined },
  targets: TargetPolicy,
): Promise<string> {
  const { listingId, family } = webhook;
  const url = (await checkTarget(webhook.url, targets)).url.href;
  return database.transaction().execute(async (sql) => {
    const before = await findWebhook(sql, listingId, family);
    if (before && webhook.secret === undefined) {
      await moveWebhook(sql, { listingId, family, url });
      return before.secret;
    }
    const secret = webhook.secret ?? newSecret(family);
    await upsertWebhook(sql, { listingId, family, url, secret });
    return secret;
  });
}

/**
 * Makes a new secret. It signs at once; for a day, where the receiver answers 401 to it, the same delivery is sent again with
 * the previous one, so that nothing is lost until the receiver knows the new secret.
 * @returns the new secret; this is the only time that it can be seen.
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
    if (webhook === null) throw new TallyhookError('no_webhook', `The listing has no ${family} webhook.`);
    const secret = newSecret(family);
    await rotateSecret(sql, webhook, secret, now + rotationOverlap);
    return secret;
  });
}
