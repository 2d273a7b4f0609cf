import { type LastVotes, withVote } from '../ledger/account.ts';
import { isCountedVote } from '../ledger/entry.ts';
import type { Outage } from '../rewards/calendar.ts';
import {
  type HistoricEntry,
  historyOfEntries,
  type ReplayContext,
  type ReplayListing,
} from '../rewards/replay-votes.ts';
import { streakOn } from '../rewards/streak.ts';
import type { AccountState } from './account-state.ts';
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

/** The context of a recount. `now` in ms since the epoch. */
export interface RecountContext {
  /** The listings of the community; without any, there are no rules, and days are those of UTC. */
  readonly listings: readonly ListingContext[];
  readonly outages: readonly Outage[];
  readonly now: number;
}

/** Rules for a recount without listings. Paid rewards stay in the history, so that no later vote pays them again. */
const withoutRules = {
  rewards: { streak: null },
  calendar: calendarOf({ timeZone: 'UTC' }),
  outageDays: new Set<number>(),
};

/**
 * The account with last votes, history, scores and streak from its entries alone. Nothing is paid: steps of streaks that
 * are complete count as paid.
 */
export function recountVotes(
  account: AccountState,
  entries: readonly HistoricEntry[],
  context: RecountContext,
): AccountState {
  const lastVotes = entries.reduce<LastVotes>((last, { listing, cause, at }) => {
    return isCountedVote(cause) && listing !== null ? withVote(last, listing, at) : last;
  }, {});
  return { ...account, lastVotes, ...historyFrom(entries, context) };
}

/** History, scores and streak from the entries of an account alone. */
function historyFrom(entries: readonly HistoricEntry[], { listings, outages, now }: RecountContext) {
  const rules = listings.length === 0 ? withoutRules : listingsByName(listings, outages)(null);
  const { history, scores } = historyOfEntries(entries, rules);
  const forgive = rules.rewards.streak?.forgive ?? 0;
  const streak = streakOn(history, rules.calendar.dayAt(now), { forgive, outageDays: rules.outageDays });
  return { history, scores, streak };
}
