import { type LastVotes, withVote } from '../ledger/account.ts';
import { isCountedVote } from '../ledger/entry.ts';
import type { Outage } from '../rewards/outages.ts';
import { type HistoricEntry, historyOfEntries } from '../rewards/separate-history.ts';
import { streakOn } from '../rewards/streak.ts';
import type { AccountState } from './account-state.ts';
import { listingsByName } from './replay-listings.ts';
import type { ListingContext } from './tally.ts';

/** What a recount depends on beside the account. `now` in ms since the epoch. */
export interface RecountContext {
  /** The listings of the community; without any, the history is computed with the next vote. */
  readonly listings: readonly ListingContext[];
  readonly outages: readonly Outage[];
  readonly now: number;
}

/**
 * The account with last votes, history, scores and streak from its entries alone. Nothing is paid: steps of streaks that
 * are complete count as paid.
 */
export function recountVotes(
  account: AccountState,
  entries: readonly HistoricEntry[],
  { listings, outages, now }: RecountContext,
): AccountState {
  const lastVotes = entries.reduce<LastVotes>((last, { listing, cause, at }) => {
    return isCountedVote(cause) && listing !== null ? withVote(last, listing, at) : last;
  }, {});
  if (listings.length === 0) return { ...account, lastVotes, history: null };
  const rules = listingsByName(listings, outages)(null);
  const { history, scores } = historyOfEntries(entries, rules);
  const forgive = rules.rewards.streak?.forgive ?? 0;
  const streak = streakOn(history, rules.calendar.dayAt(now), { forgive, outageDays: rules.outageDays });
  return { ...account, lastVotes, history, scores, streak };
}
