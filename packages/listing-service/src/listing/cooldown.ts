import { hour, second } from '@tallyhook/platform/durations';

/** Minimum time between two votes of one user for one listing (document, section 2.4), in ms. */
export const voteCooldownMs = 12 * hour;

/** True if a user may vote. Times are ms since the epoch, and null for a user who has never voted. */
export interface VoteCooldown {
  readonly canVote: boolean;
  readonly lastVoteAt: number | null;
  readonly nextVoteAt: number | null;
  /** Seconds until the cooldown ends, rounded up: never 0 during the cooldown. */
  readonly secondsUntilVote: number;
}

/** The cooldown ends exactly 12 hours after the last vote, to the millisecond. */
export function voteCooldownOf(lastVoteAt: number | null, now: number): VoteCooldown {
  if (lastVoteAt === null) return { canVote: true, lastVoteAt, nextVoteAt: null, secondsUntilVote: 0 };
  const nextVoteAt = lastVoteAt + voteCooldownMs;
  const remainingMs = Math.max(0, nextVoteAt - now);
  return { canVote: remainingMs === 0, lastVoteAt, nextVoteAt, secondsUntilVote: Math.ceil(remainingMs / second) };
}
