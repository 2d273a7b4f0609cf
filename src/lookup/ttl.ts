import { day, minute, second } from '../platform/durations.ts';
import type { CachedVoteStatus, VoteStatus } from './schemas.ts';

/** How long an entry can be served when the service fails (ms). */
export const maxAgeMs = 7 * day;

/** An entry that is dated further ahead than this (ms) was written while the clock was wrong. */
const maxClockAheadMs = minute;

/** A value and when the service sent it (ms since the epoch). */
export interface CacheEntry<Value> {
  readonly value: Value;
  readonly asOf: number;
}

/** Until when an entry is served without a new request (ms since the epoch). */
export type FreshUntil<Value> = (entry: CacheEntry<Value>) => number;

/** For profiles and reviews, which do not have to be exact. */
export const fiveMinutes: FreshUntil<unknown> = ({ asOf }) => asOf + 5 * minute;

/**
 * A running cooldown does not change until it ends. "May vote" is valid until the user votes, and "may not" without a
 * date is incomplete: both are cached for 30 s, which covers a repeated command.
 */
export const voteStatusFreshUntil: FreshUntil<CachedVoteStatus> = ({ value, asOf }) => {
  if (value.canVote || value.nextVoteAt === null) return asOf + 30 * second;
  // No documented cooldown is longer than a day, so a later date is requested again.
  return Math.min(value.nextVoteAt, asOf + day);
};

/**
 * The cached vote status, updated to `now` (ms since the epoch): when the cooldown has ended since, the user may vote.
 * If the service did not send its end, it is assumed to be `cooldownMs` after the status was requested.
 */
export function voteStatusAt(entry: CacheEntry<CachedVoteStatus>, now: number, cooldownMs: number): CachedVoteStatus {
  const { value, asOf } = entry;
  const cooldownEnd = value.nextVoteAt ?? asOf + cooldownMs;
  return value.canVote || now < cooldownEnd ? value : { ...value, canVote: true, nextVoteAt: null };
}

/** Adds the seconds until the next vote at `now` (ms since the epoch). */
export function withSecondsLeft(status: CachedVoteStatus, now: number): VoteStatus {
  return { ...status, secondsUntilVote: secondsLeft(status, now) };
}

function secondsLeft({ canVote, nextVoteAt }: CachedVoteStatus, now: number): number | null {
  if (canVote) return 0;
  // At least 1, because 0 means that the user may vote.
  return nextVoteAt === null ? null : Math.max(1, Math.ceil((nextVoteAt - now) / second));
}

/** Whether the entry is too old, or dated in the future because the clock was wrong. */
export function isExpired(entry: CacheEntry<unknown>, now: number): boolean {
  return now >= entry.asOf + maxAgeMs || entry.asOf > now + maxClockAheadMs;
}
