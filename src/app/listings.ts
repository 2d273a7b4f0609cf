import type { ListedRules } from '../../commands/command.ts';
import type { ListingConfig } from '../../config/schema.ts';
import { type AccountScope, homeAccounts } from '../ledger/account-id.ts';
import type { AnnouncedEvents } from '../tally/tally.ts';
import type { ListingWithSecrets } from '../webhook/listing.ts';

/** Which accounts the members of a guild have. @param home the guild of the home community; null if it has none */
export function accountsOf(guildId: string | null, home: string | null): AccountScope {
  return guildId === null || guildId === home ? homeAccounts : guildId;
}

/**
 * The configured listings, each with its community: all listings of the same guild.
 * @param home the guild of the home community; null if it has none. Without it, all accounts are those of the home community
 */
export function listingsWithCommunity(listings: readonly ListingConfig[], home?: string | null): ListingWithSecrets[] {
  return listings.map((listing) => {
    const neighbours = listings.filter(({ guildId }) => guildId === listing.guildId);
    const { guildId, timeZone } = listing;
    const accounts = home === undefined ? homeAccounts : accountsOf(guildId, home);
    const names = neighbours.filter(({ implied }) => !implied).map(({ name }) => name);
    return {
      ...listing,
      community: { guildId, accounts, timeZone, listings: names },
      announced: announcedOf(listing, neighbours),
    };
  });
}

/** @param neighbours all listings of the guild, which share a party */
function announcedOf({ announcements }: ListingConfig, neighbours: readonly ListingConfig[]): AnnouncedEvents {
  const { mode, milestones, premium } = announcements;
  const party = neighbours.every((each) => each.announcements.party);
  return { votes: mode === 'each', milestones, premium, party };
}

/** The rules that members see, of the listings that were configured. */
export function listedRules(listings: readonly ListingConfig[]): ListedRules[] {
  return listings
    .filter(({ implied }) => !implied)
    .map(({ name, kind, rewards: { base, milestones } }) => {
      return { name, kind, cooldownMs: base.cooldownMs, milestones };
    });
}

/** The time zone of the community (IANA name). */
export function timeZoneOf(listings: readonly ListingConfig[]): string {
  const listing = listings.find(({ implied }) => !implied) ?? listings[0];
  return listing?.timeZone ?? 'UTC';
}
