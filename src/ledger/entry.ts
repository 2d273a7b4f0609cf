/**
 * The cause of a ledger entry. `vote` and `denied` are counted votes; `within_cooldown` is a vote too close to another
 * one, and is not counted. `correction` is an adjustment by the owner.
 */
export type Cause = 'vote' | 'denied' | 'within_cooldown' | 'purchase' | 'renewal' | 'revoked' | 'correction';

/** The causes of counted votes. */
export const countedVoteCauses = ['vote', 'denied'] as const satisfies readonly Cause[];
/** The causes of all votes, counted or not. */
export const allVoteCauses = [...countedVoteCauses, 'within_cooldown'] as const satisfies readonly Cause[];

/** Whether an entry with this cause is a counted vote. */
export function isCountedVote(cause: Cause): boolean {
  return countedVoteCauses.some((counted) => counted === cause);
}

/** One entry of the ledger. Entries are immutable; a correction is another entry. */
export interface Entry {
  readonly userId: string;
  /** Name of the listing; null for a correction. */
  readonly listing: string | null;
  /** Whole credits, negative only for a correction. */
  readonly credits: number;
  readonly cause: Cause;
  /** Explanation from the service or the owner; null if there is none. */
  readonly reason: string | null;
  /** Time of the event (ms since the epoch). */
  readonly at: number;
  /** The delivery that caused the entry; null for a correction. */
  readonly deliveryId: number | null;
  /** Whether it is a vote whose payload had no timestamp. */
  readonly untimed: boolean;
}
