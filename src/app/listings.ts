import type { ListedRules } from '../../commands/command.ts';
import type { ListingConfig } from '../../config/schema.ts';
import { type AccountScope, homeAccounts } from '../ledger/account-id.ts';
import type { AnnouncedEvents } from '../tally/tally.ts';
import type { ListingWithSecrets } from '../webhook/listing.ts';

/** A configured listing with what depends on the other listings of its community. */
export type CommunityListing = ListingConfig & ListingWithSecrets;

/**
 * Which accounts the members of a guild have.
 * @param home the guild of the home community; null if its listings have no guild, undefined if all are of the home community
 */
export function accountsOf(guildId: string | null, home: string | null | undefined): AccountScope {
  return guildId === null || home === undefined || guildId === home ? homeAccounts : guildId;
}

/** Listings by their guild, in the order in which they are configured. */
export function listingsByGuild(listings: readonly ListingConfig[]): Map<string | null, ListingConfig[]> {
  return Map.groupBy(listings, ({ guildId }) => guildId);
}

/** The configured listings of all communities. @param home as of {@link accountsOf} */
export function listingsWithCommunity(listings: readonly ListingConfig[], home?: string | null): CommunityListing[] {
  return [...listingsByGuild(listings).values()].flatMap((each) => listingsOfCommunity(each, home));
}

/** @param listings all listings of one guild @param home as of {@link accountsOf} */
export function listingsOfCommunity(listings: readonly ListingConfig[], home?: string | null): CommunityListing[] {
  const names = listings.filter(({ implied }) => !implied).map(({ name }) => name);
  // Listings of one guild share a party.
  const party = listings.every(({ announcements }) => announcements.party);
  return listings.map((listing) => {
    const { guildId, timeZone, announcements } = listing;
    const { mode, milestones, premium } = announcements;
    const announced: AnnouncedEvents = { votes: mode === 'each', milestones, premium, party };
    const accounts = accountsOf(guildId, home);
    return { ...listing, community: { guildId, accounts, timeZone, listings: names }, announced };
  });
}

/** The rules that members see, of the listings that were configured. */
export function listedRules(listings: readonly ListingConfig[]): ListedRules[] {
  return listings
    .filter(({ implied }) => !implied)
    .map(({ name, kind, rewards: { base, milestones } }) => {
      return { name, kind, cooldownMs: base.cooldownMs, milestones };
    });
}
