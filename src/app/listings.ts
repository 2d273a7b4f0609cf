import type { ListedRules } from '../../commands/command.ts';
import type { ListingConfig } from '../../config/schema.ts';
import type { ListingWithSecrets } from '../webhook/listing.ts';

/** The configured listings, each with its community: all listings of the same guild. */
export function listingsWithCommunity(listings: readonly ListingConfig[]): ListingWithSecrets[] {
  return listings.map((listing) => {
    const neighbours = listings.filter(({ guildId }) => guildId === listing.guildId);
    // A streak is that of the community, so a vote for any of its listings continues it.
    const streak = listing.rewards.streak ?? neighbours.find(({ rewards }) => rewards.streak !== null)?.rewards.streak;
    const { guildId, timeZone } = listing;
    const names = neighbours.filter(({ implied }) => !implied).map(({ name }) => name);
    return {
      ...listing,
      rewards: { ...listing.rewards, streak: streak ?? null },
      community: { guildId, timeZone, listings: names },
    };
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

/** The time zone of the community (IANA name). */
export function timeZoneOf(listings: readonly ListingConfig[]): string {
  const listing = listings.find(({ implied }) => !implied) ?? listings[0];
  return listing?.timeZone ?? 'UTC';
}
