import { day, minute, second } from '../platform/durations.ts';
import type { CachedVoteStatus, VoteStatus } from './schemas.ts';

/** How long an answer is kept to be served when the service does not help (ms). */
export const keptFor = 7 * day;

/** What was known, and when the service said it (ms since the epoch). */
export interface CacheEntry<Value> {
  readonly value: Value;
  readonly asOf: number;
}

/** How long an answer is as good as a new one, by what it means: the moment (ms since the epoch) from which to ask again. */
export type FreshUntil<Value> = (kept: CacheEntry<Value>) => number;

/** A name, a count, a list of reviews: nobody minds five minutes. */
export const fiveMinutes: FreshUntil<unknown> = ({ asOf }) => asOf + 5 * minute;

/**
 * A running cooldown is a fact until it ends. "May vote" holds only until the user votes, and "may not, no date" is half an answer:
 * half a minute each, which is enough for a command that is pressed twice.
 */
export const voteStatusFreshUntil: FreshUntil<CachedVoteStatus> = ({ value, asOf }) => {
  if (value.canVote || value.nextVoteAt === null) return asOf + 30 * second;
  // No cooldown of the document is longer than a day, so an absurd date is looked at again.
  return Math.min(value.nextVoteAt, asOf + day);
};

/**
 * What a vote status of earlier says about `now` (ms since the epoch): a cooldown that has ended since is no reason not
 * to vote. Where the service named no end it is taken to last `cooldown` (ms) from when it was asked.
 */
export function voteStatusAt(kept: CacheEntry<CachedVoteStatus>, now: number, cooldown: number): CachedVoteStatus {
  const { value, asOf } = kept;
  const ends = value.nextVoteAt ?? asOf + cooldown;
  return value.canVote || now < ends ? value : { ...value, canVote: true, nextVoteAt: null };
}

/** The same with the seconds that are left at `now` (ms since the epoch). */
export function withSecondsLeft(status: CachedVoteStatus, now: number): VoteStatus {
  return { ...status, secondsUntilVote: secondsLeft(status, now) };
}

function secondsLeft({ canVote, nextVoteAt }: CachedVoteStatus, now: number): number | null {
  if (canVote) return 0;
  // A cooldown that runs has at least a second, so that the seconds never contradict `canVote`.
  return nextVoteAt === null ? null : Math.max(1, Math.ceil((nextVoteAt - now) / second));
}

/** Too old, or from a future that only a clock set wrong has seen. */
export function isExpired(kept: CacheEntry<unknown>, now: number): boolean {
  return now >= kept.asOf + keptFor || kept.asOf > now + minute;
}
