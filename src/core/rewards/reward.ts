import type { Cause } from '../ledger/entry.ts';

/** An entry that a decision adds to a member's account. */
export interface RewardEntry {
  readonly cause: Cause;
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

/** What the rules of rewards decide. Corrections and what members buy are the same under all rules. */
export const rewardCauses: readonly Cause[] = [
  ...['vote', 'denied', 'claim', 'premium', 'streak', 'milestone', 'allListings', 'party'],
] as const satisfies readonly Cause[];
