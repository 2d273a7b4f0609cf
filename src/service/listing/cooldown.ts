import { hour, second } from '../../platform/durations.ts';

/** Between two votes of one user for one listing (document, section 2.4), in ms. */
export const voteCooldown = 12 * hour;

/** Whether a user may vote, all times in ms since the epoch; null where the user has never voted. */
export interface VoteCooldown {
  readonly canVote: boolean;
  readonly lastVoteAt: number | null;
  readonly nextVoteAt: number | null;
  /** Whole seconds until the cooldown ends, rounded up, so that it is never 0 while it runs. */
  readonly secondsUntilVote: number;
}

/** The cooldown's whole arithmetic: it ends in the millisecond that is 12 hours after the last vote. */
export function voteCooldownOf(lastVoteAt: number | null, now: number): VoteCooldown {
  if (lastVoteAt === null) return { canVote: true, lastVoteAt, nextVoteAt: null, secondsUntilVote: 0 };
  const nextVoteAt = lastVoteAt + voteCooldown;
  const remaining = Math.max(0, nextVoteAt - now);
  return { canVote: remaining === 0, lastVoteAt, nextVoteAt, secondsUntilVote: Math.ceil(remaining / second) };
}
