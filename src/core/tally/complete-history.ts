import type { AccountId } from '../ledger/account.ts';
import { isCountedVote } from '../ledger/entry.ts';
import { emptyHistory, type VoteHistory } from '../rewards/history.ts';
import { addToScores, noScores, type PeriodScores } from '../rewards/period-scores.ts';
import { rebuildHistory } from '../rewards/rebuild-history.ts';
import { type StreakInDays, streakOn } from '../rewards/streak.ts';
import type { AccountState } from './account-state.ts';
import { calendarOf, outageDaysOf } from './community.ts';
import type { ListingContext } from './listing-context.ts';
import type { Tally } from './tally.ts';

/** Completes the account of a member whose votes are older than histories are, inside the caller's transaction. */
export function completeHistory(tally: Tally, accountId: AccountId, listing: ListingContext, now: number): void {
  const account = tally.accountState(accountId);
  if (account.history !== null || account.votes === 0) return;
  const completed = withHistory(tally, account, listing);
  tally.saveAccount({ ...completed, streak: streakAfter(tally, completed.history, listing, now) });
}

/** The account with a history and scores. If it has none yet, they are those of its votes. */
export function withHistory(
  tally: Tally,
  account: AccountState,
  listing: ListingContext,
): AccountState & { readonly history: NonNullable<AccountState['history']> } {
  const { history } = account;
  if (history !== null) return { ...account, history };
  if (account.votes === 0) return { ...account, history: emptyHistory };
  const calendar = calendarOf(listing.community);
  const votes = tally
    .votesBetween(account, null, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
    .filter(({ cause }) => isCountedVote(cause))
    .map((vote) => ({ listing: vote.listing ?? listing.name, day: calendar.dayAt(vote.at), credits: vote.credits }));
  return {
    ...account,
    history: rebuildHistory(votes, listing.rewards.streak, outageDaysOf(tally.outages(), calendar), {
      streaks: 0,
      bonusDays: [],
    }),
    scores: scoresOf(votes),
  };
}

/** The scores of all counted votes of a member, in any order. @param votes with their calendar days (day numbers) */
export function scoresOf(votes: readonly { readonly day: number; readonly credits: number }[]): PeriodScores {
  return votes
    .toSorted((one, other) => one.day - other.day)
    .reduce((scores, { day, credits }) => addToScores(scores, day, 1, credits), noScores);
}

/** The streak of a history at a time (ms since the epoch). */
export function streakAfter(tally: Tally, history: VoteHistory, listing: ListingContext, now: number): StreakInDays {
  const calendar = calendarOf(listing.community);
  const forgive = listing.rewards.streak?.forgive ?? 0;
  return streakOn(history, calendar.dayAt(now), { forgive, outageDays: outageDaysOf(tally.outages(), calendar) });
}
