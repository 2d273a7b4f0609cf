/**
 * Why an entry stands in the ledger. `vote` and `denied` are votes that count; a vote `within_cooldown` of another one does not.
 * `correction` is the owner's own.
 */
export type Cause = 'vote' | 'denied' | 'within_cooldown' | 'purchase' | 'renewal' | 'revoked' | 'correction';

/** The causes whose entries are votes that count. */
export const countedVoteCauses = ['vote', 'denied'] as const satisfies readonly Cause[];
/** The causes of all votes, also of those that do not count. */
export const allVotes = [...countedVoteCauses, 'within_cooldown'] as const satisfies readonly Cause[];

/** One line of the ledger. It is never changed: what was wrong is set right by another entry. */
export interface Entry {
  readonly userId: string;
  /** The name of the listing; null for a correction. */
  readonly listing: string | null;
  /** Whole credits, negative only in a correction. */
  readonly credits: number;
  readonly cause: Cause;
  /** The service's or the owner's words; null when there is nothing to explain. */
  readonly reason: string | null;
  /** When it happened (ms since the epoch). */
  readonly at: number;
  /** The delivery that caused it; null for a correction. */
  readonly deliveryId: number | null;
}
