import type { Database } from '../storage/database.ts';
import { deleteWebhook } from '../storage/deliveries/webhooks.ts';
import { revokeAllKeys } from '../storage/listings/keys.ts';
import { changeOwner } from '../storage/listings/listings.ts';
import { findProvenGuild } from '../storage/members/proven-guilds.ts';

/**
 * Gives the listing of a server to the member who owns the server on Discord, as proven within the last hour; a
 * permission such as "Manage Server" does not suffice. Votes and reviews remain. The keys are revoked and the webhooks
 * deleted, since the former owner knows them.
 * @param now ms since the epoch
 * @returns false without such a proof or listing, or if the member owns the listing already
 */
export function takeOverListing(database: Database, listingId: string, userId: string, now: number): Promise<boolean> {
  return database.transaction().execute(async (sql) => {
    const guild = await findProvenGuild(sql, userId, listingId, now);
    if (!guild?.isOwner) return false;
    if (!(await changeOwner(sql, listingId, userId))) return false;
    await revokeAllKeys(sql, listingId, now);
    await deleteWebhook(sql, listingId, 'vote');
    await deleteWebhook(sql, listingId, 'premium');
    return true;
  });
}
