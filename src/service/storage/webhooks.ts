import type { Sql } from './database.ts';
import type { Row, WebhookFamily } from './tables.ts';

/** The URL and secrets of one family of a listing's webhooks, and its recent failures. Times are ms since the epoch. */
export interface Webhook {
  readonly listingId: string;
  readonly family: WebhookFamily;
  readonly url: string;
  /** Signs every delivery. */
  readonly secret: string;
  /** The secret before the last rotation, valid until `until` for receivers that do not have the new one. */
  readonly previous: { readonly secret: string; readonly until: number } | null;
  /** Time of the first of the consecutive failures; null if the last attempt succeeded. */
  readonly failingSince: number | null;
  /** Number of consecutive failures. */
  readonly failures: number;
  /** When and why it was paused. A paused webhook receives test deliveries only. */
  readonly paused: { readonly at: number; readonly reason: string } | null;
}

/** Sets the URL and the secret of a family. Failures and the pause are reset. */
export async function upsertWebhook(
  sql: Sql,
  webhook: Pick<Webhook, 'listingId' | 'family' | 'url' | 'secret'>,
): Promise<void> {
  const values = {
    url: webhook.url,
    secret: webhook.secret,
    previous_secret: null,
    previous_until: null,
    failing_since: null,
    failures: 0,
    paused_at: null,
    pause_reason: null,
  };
  await sql
    .insertInto('webhooks')
    .values({ listing_id: webhook.listingId, family: webhook.family, ...values })
    .onConflict((conflict) => conflict.columns(['listing_id', 'family']).doUpdateSet(values))
    .execute();
}

export async function findWebhook(sql: Sql, listingId: string, family: WebhookFamily): Promise<Webhook | null> {
  const row = await sql
    .selectFrom('webhooks')
    .selectAll()
    .where('listing_id', '=', listingId)
    .where('family', '=', family)
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

/** Changes the URL but not the secrets. Failures and the pause are reset. */
export async function updateWebhookUrl(
  sql: Sql,
  webhook: Pick<Webhook, 'listingId' | 'family' | 'url'>,
): Promise<void> {
  await update(sql, webhook, {
    url: webhook.url,
    failing_since: null,
    failures: 0,
    paused_at: null,
    pause_reason: null,
  });
}

/** Makes `secret` the current secret. The one before remains valid until `previousUntil` (ms since the epoch). */
export async function rotateSecret(sql: Sql, webhook: Webhook, secret: string, previousUntil: number): Promise<void> {
  await update(sql, webhook, { secret, previous_secret: webhook.secret, previous_until: previousUntil });
}

/** Deletes a webhook: events of this family are no longer sent. */
export async function deleteWebhook(sql: Sql, listingId: string, family: WebhookFamily): Promise<void> {
  await sql.deleteFrom('webhooks').where('listing_id', '=', listingId).where('family', '=', family).execute();
}

/** Resets the failures and the pause, after a successful attempt or when the owner resumes the webhook. */
export async function clearFailures(sql: Sql, webhook: Webhook): Promise<void> {
  await update(sql, webhook, { failing_since: null, failures: 0, paused_at: null, pause_reason: null });
}

/** Counts a failed attempt, if the webhook still has the URL that failed. */
export async function recordFailure(sql: Sql, webhook: Webhook, now: number): Promise<void> {
  await sql
    .updateTable('webhooks')
    .set((set) => ({
      failures: set('failures', '+', 1),
      failing_since: set.fn.coalesce('failing_since', set.val(now)),
    }))
    .where('listing_id', '=', webhook.listingId)
    .where('family', '=', webhook.family)
    .where('url', '=', webhook.url)
    .execute();
}

export async function pauseWebhook(sql: Sql, webhook: Webhook, reason: string, now: number): Promise<void> {
  await update(sql, webhook, { paused_at: now, pause_reason: reason });
}

async function update(
  sql: Sql,
  webhook: Pick<Webhook, 'listingId' | 'family'>,
  values: Partial<Row<'webhooks'>>,
): Promise<void> {
  await sql
    .updateTable('webhooks')
    .set(values)
    .where('listing_id', '=', webhook.listingId)
    .where('family', '=', webhook.family)
    .execute();
}

function fromRow(row: Row<'webhooks'>): Webhook {
  return {
    listingId: row.listing_id,
    family: row.family,
    url: row.url,
    secret: row.secret,
    previous:
      row.previous_secret !== null && row.previous_until !== null
        ? { secret: row.previous_secret, until: row.previous_until }
        : null,
    failingSince: row.failing_since,
    failures: row.failures,
    paused: row.paused_at === null ? null : { at: row.paused_at, reason: row.pause_reason ?? '' },
  };
}
