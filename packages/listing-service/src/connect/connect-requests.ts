import { minute } from '@tallyhook/platform/durations';
import { parseJson } from '@tallyhook/platform/json';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { checkTarget, type TargetPolicy } from '@tallyhook/platform/webhooks/target';
import { z } from 'zod';
import { line, snowflake } from '../pages/forms.ts';
import type { Database, Sql } from '../storage/database.ts';
import { resumeWebhook, upsertWebhook } from '../storage/deliveries/webhooks.ts';
import { lockListingOf } from '../storage/listings/co-owners.ts';
import { countKeys, issueKey, maxKeys } from '../storage/listings/keys.ts';
import { findListing } from '../storage/listings/listings.ts';
import { digest, newSecret } from '../storage/secrets.ts';
import type { Row } from '../storage/tables.ts';
import { PageError } from '../texts/page-error.ts';

/** How long the owner may take, and how long the code is valid (ms). */
export const connectTtlMs = 10 * minute;

export const address = z.url({ protocol: /^https?$/ }).max(500);

/** A request of a bot to connect a listing, which the owner approves or not, as it is sent and stored. */
export const connectRequestBody = z.object({
  /** External text. */
  name: line(50),
  /** The guild whose listing it is, and the member who asked. */
  guild: snowflake,
  member: snowflake,
  /** Where the member returns to; of the same origin as the webhooks. */
  redirect_uri: address,
  state: z.string().regex(/^[\w-]{16,200}$/),
  /** PKCE, `S256`. */
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  webhooks: z.object({ vote: address, premium: address }),
});

export type ConnectRequest = Readonly<z.infer<typeof connectRequestBody>>;

/** Stores a request, and returns the id by which its owner opens it. */
export async function insertConnectRequest(sql: Sql, request: ConnectRequest, now: number): Promise<string> {
  const id = newSecret('connect');
  const expires_at = now + connectTtlMs;
  const row = { id, user_id: request.member, request_json: JSON.stringify(request), code_hash: null, expires_at };
  await sql.insertInto('connect_requests').values(row).execute();
  return id;
}

/** A request that waits for its owner, or null if it is unknown, decided or expired. */
export async function findConnectRequest(sql: Sql, id: string, now: number): Promise<ConnectRequest | null> {
  const waiting = sql.selectFrom('connect_requests').selectAll().where('id', '=', id).where('code_hash', 'is', null);
  return requestOfValid(await waiting.executeTakeFirst(), now);
}

/** Approves a waiting request, and returns the code for the bot; null if it was decided meanwhile. */
export async function approveConnectRequest(sql: Sql, id: string): Promise<string | null> {
  const code = newSecret('code');
  const { numUpdatedRows } = await sql
    .updateTable('connect_requests')
    .set({ code_hash: digest(code) })
    .where('id', '=', id)
    .where('code_hash', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 0n ? null : code;
}

/** Consumes a code, whatever becomes of it: a second use finds nothing. */
export async function redeemConnectCode(sql: Sql, code: string, now: number): Promise<ConnectRequest | null> {
  const approved = sql.deleteFrom('connect_requests').where('code_hash', '=', digest(code)).returningAll();
  return requestOfValid(await approved.executeTakeFirst(), now);
}

export async function deleteConnectRequest(sql: Sql, id: string): Promise<void> {
  await sql.deleteFrom('connect_requests').where('id', '=', id).execute();
}

/** One that expires later than a new one would is from before the clock was set back, so its age is unknown. */
function requestOfValid(row: Row<'connect_requests'> | undefined, now: number): ConnectRequest | null {
  const isValid = row !== undefined && row.expires_at > now && row.expires_at <= now + connectTtlMs + minute;
  return isValid ? (parseJson(row.request_json) as ConnectRequest) : null;
}

const families = ['vote', 'premium'] as const;

/**
 * Carries out what the owner has approved: a new API key, and webhooks with new secrets in place of those before.
 * @returns the response to the bot
 * @throws HttpError 409, RejectedTargetError
 */
export async function connectListing(
  database: Database,
  { name, guild, member, webhooks }: ConnectRequest,
  { targets, now }: { readonly targets: TargetPolicy; readonly now: number },
) {
  // A host name can take seconds to resolve.
  const addresses = { vote: '', premium: '' };
  for (const family of families) addresses[family] = (await checkTarget(webhooks[family], targets)).url.href;
  return database.transaction().execute(async (sql) => {
    const isOwn = await lockListingOf(sql, guild, member);
    const listing = isOwn ? await findListing(sql, guild) : null;
    if (listing?.kind !== 'server') throw new HttpError(409, 'The member does not own this listing any more.');
    if ((await countKeys(sql, guild)) >= maxKeys) throw tooManyKeys();
    const key = await issueKey(sql, listing, `Connect: ${name}`, now);
    const configured = { vote: { url: '', secret: '' }, premium: { url: '', secret: '' } };
    for (const family of families) {
      const webhook = { listingId: guild, family, url: addresses[family], secret: newSecret(family) };
      await upsertWebhook(sql, webhook);
      await resumeWebhook(sql, webhook);
      configured[family] = { url: webhook.url, secret: webhook.secret };
    }
    return { guild, member, listing: { kind: listing.kind, id: guild, name: listing.name }, key, webhooks: configured };
  });
}

export function tooManyKeys(): PageError {
  return new PageError(409, ({ number, text }) => text('errors.tooManyKeys', { max: number(maxKeys) }));
}
