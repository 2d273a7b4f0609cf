import { minute } from '@tallyhook/platform/durations';
import { endsOrder, type Premium, type Vote } from '../../webhook/event.ts';
import type { KnownCause } from '../ledger/entry.ts';

/** Rewards (whole credits) and cooldown (ms) of a listing. */
export interface RewardRules {
  readonly perVote: number;
  readonly perPremium: number;
  readonly whenDenied: number;
  readonly cooldownMs: number;
  /** The rules of a listing on another site than the document's service. */
  readonly site?: SiteRules;
}

/** Rules of another listing site, at which a vote with a time is never too early, whatever the cooldown is here. */
interface SiteRules {
  /** From a vote to the last retry of its delivery (ms). */
  readonly retryHorizonMs: number;
}

/** The reward of an event. */
interface RewardDecision {
  readonly cause: KnownCause;
  /** Whole credits. */
  readonly credits: number;
  /** Stored in the delivery log and in the entry; null if there is nothing to explain. */
  readonly reason: string | null;
}

/**
 * Tolerance for clocks that differ and deliveries that are delayed (ms). By as much may the times of one vote differ
 * that a site's API and its delivery state: no site accepts two votes of a member within it.
 */
export const toleranceMs = 5 * minute;

/** Minimum time between two counted votes of one user for one listing (ms): the cooldown less the tolerance. */
export function minVoteGapMs(rules: RewardRules): number {
  return rules.site === undefined ? Math.max(0, rules.cooldownMs - toleranceMs) : untimedRepeatWindowMs(rules);
}

/**
 * By how much the time of a vote in a claim or an import may differ from that in its delivery (ms): {@link
 * toleranceMs}, or less for a cooldown that is about as short.
 */
export function maxSameVoteGapMs({ cooldownMs }: RewardRules): number {
  return Math.min(toleranceMs, Math.floor(cooldownMs / 2));
}

/**
 * The time within which votes without a timestamp are the same vote (whole ms): the cooldown less the tolerance. For a
 * short cooldown the tolerance is 1 % of it; otherwise a repeated delivery could be paid. At another site the first
 * vote may have arrived with the site's last retry, and the next one in time, which is then closer by as much; but
 * never is the window shorter than the retries.
 */
export function untimedRepeatWindowMs({ cooldownMs, site }: RewardRules): number {
  const windowMs = cooldownMs - Math.min(toleranceMs, Math.ceil(cooldownMs / 100));
  if (site === undefined || site.retryHorizonMs <= toleranceMs) return windowMs;
  return Math.max(cooldownMs - site.retryHorizonMs, Math.min(windowMs, site.retryHorizonMs));
}

/**
 * The reward of a vote. `withinCooldown`: whether a counted vote is less than {@link minVoteGapMs} before or after it.
 */
export function decideVoteReward(
  vote: Pick<Vote, 'creditsAwarded' | 'denial'>,
  rules: RewardRules,
  withinCooldown: boolean,
): RewardDecision {
  if (withinCooldown) return { cause: 'within_cooldown', credits: 0, reason: 'within_cooldown' };
  const denied = vote.creditsAwarded === false || (vote.creditsAwarded === null && vote.denial !== null);
  if (denied) return { cause: 'denied', credits: rules.whenDenied, reason: vote.denial ?? 'denied by the service' };
  const credits = typeof vote.creditsAwarded === 'number' ? vote.creditsAwarded : rules.perVote;
  return { cause: 'vote', credits, reason: vote.denial };
}

/**
 * The reward of a premium event; null for an expiry or revocation. `isRevoked`: whether its order is revoked, which
 * applies to all later deliveries of the order.
 */
export function decidePremiumReward(premium: Premium, rules: RewardRules, isRevoked: boolean): RewardDecision | null {
  if (endsOrder(premium.kind)) return null;
  if (isRevoked) return { cause: 'revoked', credits: 0, reason: 'order_revoked' };
  const credits = typeof premium.creditsAwarded === 'number' ? premium.creditsAwarded : rules.perPremium;
  return { cause: 'premium', credits, reason: null };
}

/** An entry that a decision adds to a member's account. */
export interface RewardEntry {
  readonly cause: KnownCause;
  /** Whole credits, 0 or more. */
  readonly credits: number;
  /** Explanation for the member; null if the cause says everything. */
  readonly reason: string | null;
  /**
   * Unique among the entries of an account, such as `milestone 10`, so that an achievement is paid once. Null for the
   * entry of the event itself, which the event's key protects.
   */
  readonly achievement: string | null;
  /** The days or votes that were reached, of a streak or milestone. */
  readonly count?: number;
}

/** The sum of all entries (credits). */
export function creditsOf(entries: readonly Pick<RewardEntry, 'credits'>[]): number {
  return entries.reduce((sum, { credits }) => sum + credits, 0);
}

/** The desired state of one role of one member for one source. A member has a role while any of its grants lasts. */
export interface Grant {
  readonly userId: string;
  /** Discord ID of the role. */
  readonly role: string;
  /**
   * The reason of the role: `voter`, `milestone`, or `premium` and the ID of the order. One row per user, role, source
   * and guild.
   */
  readonly source: string;
  /** End (ms since the epoch), exclusive; null if it does not end. A time that has passed removes the role. */
  readonly until: number | null;
  /**
   * How it changes a stored grant of the same user, role and source: `extend` keeps the later end, `replace` sets this
   * one.
   */
  readonly change: 'extend' | 'replace';
}

/** A role of a member in a guild (Discord IDs). */
export type GrantedRole = Pick<StoredGrant, 'userId' | 'role' | 'guildId'>;

/**
 * The end that is stored after a grant (ms since the epoch; null if it does not end).
 * @param stored the grant's row, if any
 */
export function endAfter(stored: Pick<Grant, 'until'> | null, { until, change }: Grant): number | null {
  if (stored === null || change === 'replace') return until;
  return stored.until === null || until === null ? null : Math.max(stored.until, until);
}

/**
 * How far Discord matches a grant: `pending` while an effect is to make it so, `applied` when it does, `parked` when it
 * cannot for now.
 */
export type GrantState = 'pending' | 'applied' | 'parked';

/** A grant as it is stored, one per user, role, source and guild. */
export interface StoredGrant extends Omit<Grant, 'change'> {
  readonly guildId: string;
  readonly state: GrantState;
}
