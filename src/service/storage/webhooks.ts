import type { Sql } from './database.ts';
import type { Row, WebhookFamily } from './tables.ts';

/** Where one family of a listing's webhooks goes, and how it has been going. Times are ms since the epoch. */
export interface Webhook {
  readonly listingId: string;
  readonly family: WebhookFamily;
  readonly url: string;
  /** Signs every delivery. */
  readonly secret: string;
  /** The secret before the last rotation, still in use until `previousUntil` for receivers that do not know the new one. */
  readonly previous: { readonly secret: string; readonly until: number } | null;
  /** When the first of the present unbroken run of failures was; null when the last attempt went well. */
  readonly failingSince: number | null;
  /** How long that run is. */
  readonly failures: number;
  /** When it was paused and why; nothing but tests is sent while it is. */
  readonly paused: { readonly at: number; readonly reason: string } | null;
}

/** Sets the address and the secret of a family. A new address starts with a clean record: not paused, no failures. */
export async function upsertWebhook(
  sql: Sql,
  webhook: Pick<Webhook, 'listingId' | 'family' | 'url' | 'secret'>,
): Promise<void> {
  const fresh = {
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
    .values({ listing_id: webhook.listingId, family: webhook.family, ...fresh })
    .onConflict((conflict) => conflict.columns(['listing_id', 'family']).doUpdateSet(fresh))
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

/** Moves the address, keeping the secrets; the new address starts with a clean record. */
export async function moveWebhook(sql: Sql, webhook: Pick<Webhook, 'listingId' | 'family' | 'url'>): Promise<void> {
  await update(sql, webhook, {
    url: webhook.url,
    failing_since: null,
    failures: 0,
    paused_at: null,
    pause_reason: null,
  });
}

/** Makes `secret` the one that signs and keeps the present one in use until `previousUntil`. */
export async function rotateSecret(sql: Sql, webhook: Webhook, secret: string, previousUntil: number): Promise<void> {
  await update(sql, webhook, { secret, previous_secret: webhook.secret, previous_until: previousUntil });
}

/** Sends nothing more of this family: the owner wants none. */
export async function removeWebhook(sql: Sql, listingId: string, family: WebhookFamily): Promise<void> {
  await sql.deleteFrom('webhooks').where('listing_id', '=', listingId).where('family', '=', family).execute();
}

/** Ends the run of failures, and with it a pause: an attempt went well, or the owner says that it will. */
export async function clearFailures(sql: Sql, webhook: Webhook): Promise<void> {
  await update(sql, webhook, { failing_since: null, failures: 0, paused_at: null, pause_reason: null });
}

/** An attempt failed: the run of failures grows. Only where the address is still the one that failed. */
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
