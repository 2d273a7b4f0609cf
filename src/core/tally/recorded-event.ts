import type { Premium } from '../../webhook/event.ts';
import type { Reached } from '../rewards/decide-vote.ts';
import type { RewardEntry } from '../rewards/reward.ts';
import type { AccountState } from './account-state.ts';
import type { ListingContext } from './listing-context.ts';

/** What is common to the events of one delivery or claim. Times are ms since the epoch. */
export interface Recorded {
  readonly listing: ListingContext;
  readonly deliveryId: number | null;
  /** Time of the event. */
  readonly at: number;
  /** The current time. */
  readonly now: number;
}

/** A counted vote, delivered or claimed. */
export interface CountedVote extends Recorded {
  /** The account before the vote. */
  readonly account: AccountState;
  /** The calendar day of the vote (day number). */
  readonly day: number;
  /** When the member may vote again, if the delivery says so (ms since the epoch). */
  readonly nextVoteAt: number | null;
}

/** A counted vote with all that it earned. */
export interface RecordedVote extends Recorded {
  /** The vote's own entry first. */
  readonly entries: readonly RewardEntry[];
  /** The account with the entries. */
  readonly account: AccountState;
  /** The streak after it (days). */
  readonly streak: number;
  readonly reached: Reached;
  /** See {@link CountedVote.nextVoteAt}. */
  readonly nextVoteAt: number | null;
}

/** A premium event with all that it earned. */
export interface RecordedPremium extends Recorded {
  readonly event: Premium;
  /** What it paid (credits), and the balance after it; null without a holder, or if it never pays. */
  readonly credits: number;
  readonly balance: number | null;
}
