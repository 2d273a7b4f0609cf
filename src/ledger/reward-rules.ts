import { minute } from '../platform/durations.ts';
import type { Cause } from './entry.ts';
import { endsOrder, type Premium, type Vote } from './event.ts';

/** What one listing pays (whole credits) and how long its cooldown is (ms). */
export interface RewardRules {
  readonly perVote: number;
  readonly perPremium: number;
  readonly whenDenied: number;
  readonly cooldownMs: number;
}

/** What an event is worth, and why. A null cause leaves no entry: there is nothing to book. */
export interface RewardDecision {
  readonly cause: Cause | null;
  /** Whole credits. */
  readonly credits: number;
  /** Stands in the delivery's row and in the entry; null when there is nothing to explain. */
  readonly reason: string | null;
}

/**
 * How far two votes of one user for one listing must lie apart for both to be real (ms): the cooldown, less five minutes for clocks
 * that disagree and deliveries that were held up.
 */
export function minVoteGapMs(rules: RewardRules): number {
  return Math.max(0, rules.cooldownMs - 5 * minute);
}

/**
 * How long a vote without a timestamp is taken for the same vote (ms): the cooldown, less what a delivery may have been held up. Of a
 * short cooldown that is little, or a repeat would be paid.
 */
export function untimedRepeatWindowMs(rules: RewardRules): number {
  return rules.cooldownMs - Math.min(5 * minute, rules.cooldownMs / 100);
}

/** A vote, given whether another one that counts stands within {@link minVoteGapMs} of it, before or after. */
export function decideVoteReward(vote: Vote, rules: RewardRules, withinCooldown: boolean): RewardDecision {
  if (withinCooldown) return { cause: 'within_cooldown', credits: 0, reason: 'within_cooldown' };
  const denied = vote.awarded === false || (vote.awarded === null && vote.denial !== null);
  if (denied) return { cause: 'denied', credits: rules.whenDenied, reason: vote.denial ?? 'denied by the service' };
  const credits = typeof vote.awarded === 'number' ? vote.awarded : rules.perVote;
  return { cause: 'vote', credits, reason: vote.denial };
}

/** An event of a premium order, given whether that order was revoked: a revocation outranks all that arrives after it. */
export function decidePremiumReward(premium: Premium, rules: RewardRules, revoked: boolean): RewardDecision {
  if (endsOrder(premium.kind)) return nothingToBook;
  if (revoked) return { cause: 'revoked', credits: 0, reason: 'order_revoked' };
  const credits = typeof premium.awarded === 'number' ? premium.awarded : rules.perPremium;
  return { cause: premium.kind === 'premium_purchase' ? 'purchase' : 'renewal', credits, reason: null };
}

const nothingToBook: RewardDecision = { cause: null, credits: 0, reason: null };
