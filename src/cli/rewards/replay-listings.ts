import type { Outage } from '../../rewards/outages.ts';
import { findGoalSlots, goalTimes, slotMs } from '../../rewards/party-goals.ts';
import type { ReplayContext, ReplayListing } from '../../rewards/replay-votes.ts';
import type { PartyRules } from '../../rewards/rules.ts';
import type { Snapshot } from '../../store/snapshots/snapshot.ts';
import { countVotesBySlot, voteTimesIn } from '../../store/snapshots/vote-times.ts';
import { calendarOf, outageDaysOf } from '../../tally/community.ts';
import type { ListingContext } from '../../tally/tally.ts';

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
  return { rewards, communityListings: community.listings, calendar, outageDays: outageDaysOf(outages, calendar) };
}

/** When the goal of each period was reached (ms since the epoch), by the ID of the period. */
export async function partyGoalsIn(
  snapshot: Snapshot,
  rules: PartyRules | null,
  { calendar }: Pick<ReplayListing, 'calendar'>,
): Promise<ReadonlyMap<string, number>> {
  if (rules === null) return new Map();
  const slots = findGoalSlots(await countVotesBySlot(snapshot, slotMs), rules, calendar);
  const times: number[] = [];
  for await (const at of voteTimesIn(
    snapshot,
    slots.map(({ slot }) => slot),
    slotMs,
  )) {
    times.push(at);
  }
  return goalTimes(slots, times);
}
