import type { ListingConfig } from '../../config/schema.ts';
import type { ListingWithSecrets } from '../webhook/listing.ts';

/** The configured listings, each with its community: all listings of the same guild. */
export function listingsWithCommunity(listings: readonly ListingConfig[]): ListingWithSecrets[] {
  return listings.map((listing) => {
    const neighbours = listings.filter(({ guildId }) => guildId === listing.guildId);
    const { guildId, timeZone } = listing;
    const names = neighbours.filter(({ implied }) => !implied).map(({ name }) => name);
    return { ...listing, community: { guildId, timeZone, listings: names } };
  });
}
