import { HttpError } from '../../platform/web/http-error.ts';
import type { Database } from '../storage/database.ts';
import { resumeWebhook, upsertWebhook } from '../storage/deliveries/webhooks.ts';
import { countKeys, issueKey, maxKeys } from '../storage/listings/keys.ts';
import { findListing, lockOwnListing } from '../storage/listings/listings.ts';
import { newSecret } from '../storage/secrets.ts';
import { PageError } from '../texts/texts.ts';
import { checkTarget, type TargetPolicy } from '../webhooks/target.ts';
import type { ConnectRequest } from './connect-requests.ts';

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
    const isOwn = await lockOwnListing(sql, guild, member);
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
  return new PageError(409, ({ errors, plain, number }) => plain(errors.tooManyKeys, { max: number(maxKeys) }));
}
