import type { Outage } from '../rewards/outages.ts';
import type { ReplayContext, ReplayListing } from '../rewards/replay-votes.ts';
import { calendarOf, outageDaysOf } from './community.ts';
import type { ListingContext } from './listing-context.ts';

/** Finds listings by name. In place of one that is not configured any more, the first one counts. */
export function listingsByName(
  listings: readonly ListingContext[],
  outages: readonly Outage[],
): ReplayContext['listingOf'] {
  const byName = new Map(listings.map((listing) => [listing.name, toReplayListing(listing, outages)]));
  const [first] = byName.values();
  return (name) => {
    const listing = (name === null ? undefined : byName.get(name)) ?? first;
    if (listing === undefined) throw new Error('There is no listing.');
    return listing;
  };
}

function toReplayListing({ rewards, community }: ListingContext, outages: readonly Outage[]): ReplayListing {
  const calendar = calendarOf(community);
  const { listings: communityListings, sameTarget } = community;
  return { rewards, communityListings, sameTarget, calendar, outageDays: outageDaysOf(outages, calendar) };
}
