import type { SqlDialect } from '@tallyhook/platform/database/dialect';
import { type ExpressionBuilder, sql as expression, type RawBuilder } from 'kysely';
import type { WebhookFamily } from '../../webhooks/event-kinds.ts';
import type { Sql } from '../database.ts';
import { jsonRows } from '../json-rows.ts';
import type { Row, ServiceTables } from '../tables.ts';
import type { LeasedDelivery, WebhookKey } from './deliveries.ts';

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
  readonly failures: number;
  /**
   * When, why and by whom it was paused. A paused webhook receives test deliveries only. Only the owner ends a pause by
   * the owner; one by the service also ends with a successful test or a new URL.
   */
  readonly paused: { readonly at: number; readonly reason: string; readonly by: 'owner' | 'service' } | null;
}

/** A delivery that this process may send, and where to. */
export interface SendableDelivery extends LeasedDelivery {
  readonly webhook: Webhook;
}

/**
 * Sets the URL and the secret of a family. Failures are reset, and a pause by the service.
 * @param secrets.replace whether the secret replaces the stored one; otherwise it is only for a webhook without one
 * @returns the secret that signs from now on
 */
export async function upsertWebhook(
  sql: Sql,
  { listingId, family, url, secret }: Pick<Webhook, 'listingId' | 'family' | 'url' | 'secret'>,
  { replace }: { readonly replace: boolean } = { replace: true },
): Promise<string> {
  const { secret: current } = await sql
    .insertInto('webhooks')
    .values({ listing_id: listingId, family, url, secret, failures: 0 })
    .onConflict((conflict) =>
      conflict.columns(['listing_id', 'family']).doUpdateSet({
        url,
        ...resetFailures,
        ...(replace ? { secret, previous_secret: null, previous_until: null } : {}),
      }),
    )
    .returning('secret')
    .executeTakeFirstOrThrow();
  return current;
}

function isWebhook({ listingId, family }: WebhookKey) {
  return (row: ExpressionBuilder<ServiceTables, 'webhooks'>) => row.and({ listing_id: listingId, family });
}

export async function findWebhook(sql: Sql, listingId: string, family: WebhookFamily): Promise<Webhook | null> {
  const row = await sql.selectFrom('webhooks').selectAll().where(isWebhook({ listingId, family })).executeTakeFirst();
  return row ? webhookOfRow(row) : null;
}

export async function deleteWebhook(sql: Sql, listingId: string, family: WebhookFamily): Promise<void> {
  await sql.deleteFrom('webhooks').where('listing_id', '=', listingId).where('family', '=', family).execute();
}

/** Deletes the addresses in the log of a listing's deliveries, which may contain a token. */
export async function forgetWebhookUrls(sql: Sql, listingId: string): Promise<void> {
  const ofListing = sql.selectFrom('deliveries').select('id').where('listing_id', '=', listingId);
  await sql.updateTable('attempts').set({ url: '' }).where('delivery_id', 'in', ofListing).execute();
}

/** Resets the failures, and a pause unless the owner paused the webhook. */
const resetFailures = {
  failing_since: null,
  failures: 0,
  paused_at: unlessPausedByOwner('paused_at'),
  pause_reason: unlessPausedByOwner('pause_reason'),
};

function unlessPausedByOwner<Column extends 'paused_at' | 'pause_reason'>(column: Column) {
  const stored = expression.ref(`webhooks.${column}`);
  return expression<Row<'webhooks'>[Column]>`case when webhooks.paused_by = 'owner' then ${stored} end`;
}

/**
 * The statement that resets the failures and a pause by the service, after successful attempts. It changes only webhooks
 * that have some, because all deliveries to a webhook would wait for each other if each changed its row.
 * @param rows listing and family of each webhook
 */
export function clearFailures(dialect: SqlDialect, rows: string): RawBuilder<unknown> {
  return expression`
    update webhooks set failing_since = null, failures = 0, paused_at = ${unlessPausedByOwner('paused_at')},
      pause_reason = ${unlessPausedByOwner('pause_reason')}
    where (failures > 0 or (paused_at is not null and paused_by is null)) and (listing_id, family) in (
      select listing_id, family from ${jsonRows(dialect, rows, { listing_id: 'text', family: 'text' })} as answered
    )`;
}

/** Ends any pause and resets the failures, for the owner; false if there is no such webhook. */
export async function resumeWebhook(sql: Sql, webhook: WebhookKey): Promise<boolean> {
  const resumed = { failing_since: null, failures: 0, paused_at: null, pause_reason: null, paused_by: null };
  return update(sql, webhook, resumed);
}

/** Pauses a webhook for its owner; false if there is no such webhook. @param now ms since the epoch */
export async function pauseForOwner(sql: Sql, webhook: WebhookKey, now: number): Promise<boolean> {
  return update(sql, webhook, { paused_at: now, pause_reason: 'You paused it.', paused_by: 'owner' });
}

/** Counts a failed attempt and returns the webhook after it; null if it no longer has the URL that failed. */
export async function recordFailure(sql: Sql, webhook: Webhook, now: number): Promise<Webhook | null> {
  const row = await sql
    .updateTable('webhooks')
    .set((set) => ({
      failures: set('failures', '+', 1),
      failing_since: set.fn.coalesce('failing_since', set.val(now)),
    }))
    .where(isWebhook(webhook))
    .where('url', '=', webhook.url)
    .returningAll()
    .executeTakeFirst();
  return row ? webhookOfRow(row) : null;
}

/** Pauses a webhook after failures, unless it is paused. */
export async function pauseWebhook(sql: Sql, webhook: WebhookKey, reason: string, now: number): Promise<void> {
  await sql
    .updateTable('webhooks')
    .set({ paused_at: now, pause_reason: reason })
    .where(isWebhook(webhook))
    .where('paused_at', 'is', null)
    .execute();
}

async function update(sql: Sql, webhook: WebhookKey, values: Partial<Row<'webhooks'>>): Promise<boolean> {
  const { numUpdatedRows } = await sql.updateTable('webhooks').set(values).where(isWebhook(webhook)).executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function webhookOfRow(row: Row<'webhooks'>): Webhook {
  const { paused_at: at, pause_reason: reason, paused_by: by } = row;
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
    paused: at === null ? null : { at, reason: reason ?? '', by: by ?? 'service' },
  };
}
