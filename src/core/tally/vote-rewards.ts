import type { Vote } from '../../webhook/event.ts';
import { lastVoteIn } from '../ledger/account.ts';
import { isCountedVote } from '../ledger/entry.ts';
import { minVoteGapMs } from '../ledger/reward-rules.ts';
import type { GivenRole } from '../outbox/effect-contents.ts';
import { decideVote, type Reached } from '../rewards/decide-vote.ts';
import { emptyHistory } from '../rewards/history.ts';
import { addToScores } from '../rewards/period-scores.ts';
import { creditsOf, type RewardEntry } from '../rewards/reward.ts';
import type { AccountState } from './account-state.ts';
import { calendarOf, namesOfTarget, outageDaysOf } from './community.ts';
import { withHistory } from './complete-history.ts';
import { applyGrants } from './grants.ts';
import type { ListingContext } from './listing-context.ts';
import type { PastVote, Tally } from './tally.ts';
import { streakAfter } from './vote-streak.ts';

/** A vote with the account of its voter as it was before. */
export interface CastVote {
  readonly vote: Vote;
  readonly listing: ListingContext;
  readonly account: AccountState;
  /** The time of the vote, or of its delivery if it has none (ms since the epoch). */
  readonly at: number;
  readonly withinCooldown: boolean;
  /** The current time (ms since the epoch). */
  readonly now: number;
}

/** What a vote earns. Nothing is written yet. */
export interface VoteRewards {
  /** The vote's own entry first. */
  readonly entries: readonly RewardEntry[];
  /** The account with the vote in its history and scores, without the entries. */
  readonly account: AccountState;
  /** The streak after the vote (days); null if it does not count. */
  readonly streak: number | null;
  readonly reached: Reached;
  /** Enqueues and stores what is not an entry: roles, which it returns, progress of the party, and the next reminder. */
  readonly apply: (deliveryId: number | null) => readonly GivenRole[];
}

/** The votes for the target of a listing between two times (ms since the epoch, both exclusive). */
export function votesForTarget(
  tally: Tally,
  account: AccountState,
  { name, community }: ListingContext,
  after: number,
  before: number,
): readonly PastVote[] {
  return namesOfTarget(community, name).flatMap((each) => tally.votesBetween(account, each, after, before));
}

/**
 * Whether a counted vote for the listing is too close to a vote at this time (ms since the epoch), before or after it.
 * The last vote is usually sufficient. The entries are read only for a vote that arrives after a later one.
 */
export function isWithinCooldown(tally: Tally, account: AccountState, listing: ListingContext, at: number): boolean {
  const gapMs = minVoteGapMs(listing.rewards.base);
  const last = lastVoteIn(account.lastVotes, namesOfTarget(listing.community, listing.name));
  if (last === null || last <= at - gapMs) return false;
  if (last < at + gapMs) return true;
  return votesForTarget(tally, account, listing, at - gapMs, at + gapMs).some(({ cause }) => isCountedVote(cause));
}

export function voteRewards(tally: Tally, cast: CastVote): VoteRewards {
  const { vote, listing, account, at, withinCooldown, now } = cast;
  const { name, rewards, community } = listing;
  const calendar = calendarOf(community);
  const day = calendar.dayAt(at);
  const outageDays = outageDaysOf(tally.outages(), calendar);
  const before = withinCooldown ? { ...account, history: emptyHistory } : withHistory(tally, account, listing);
  const { entries, grants, history, reached } = decideVote(before.history, vote, {
    listing: name,
    rewards,
    communityListings: community.listings,
    sameTarget: community.sameTarget,
    calendar,
    at,
    withinCooldown,
    roles: new Set(account.roles),
    outageDays,
  });
  if (withinCooldown) return { entries, account, streak: null, reached, apply: () => [] };

  const streak = streakAfter(tally, history, listing, now);
  const scores = addToScores(before.scores, day, 1, creditsOf(entries));
  return {
    entries,
    account: { ...before, history, streak, scores },
    streak: streak.days,
    reached,
    apply(deliveryId) {
      const counted = { listing, account, at, day, deliveryId, now };
      for (const { onVote } of tally.hooks) onVote?.(tally, counted);
      return applyGrants(tally, grants, { community, deliveryId, now });
    },
  };
}
