import type { AccountId } from './account.ts';

/** The causes of counted votes. */
export const countedVoteCauses = ['vote', 'denied', 'claim'] as const;
/** The causes of all votes, counted or not. */
export const allVoteCauses = [...countedVoteCauses, 'within_cooldown'] as const;
/** The causes of what a vote earns beside its own entry: one for each rule that `decideVote` follows. */
export const bonusCauses = ['streak', 'milestone', 'allListings', 'firstVote', 'luck'] as const;
/** The causes that the rules of rewards decide. Corrections and purchases are the same under all rules. */
export const rewardCauses: readonly Cause[] = [...countedVoteCauses, 'premium', ...bonusCauses, 'party'];

/** A cause that this version knows, of the core or of a feature. @category Ledger */
export type KnownCause =
  | (typeof allVoteCauses)[number]
  | (typeof bonusCauses)[number]
  | 'premium'
  | 'revoked'
  | 'party'
  | 'prize'
  | 'raffle'
  | 'purchase'
  | 'refund'
  | 'gift'
  | 'correction';

/**
 * The cause of a ledger entry. `vote`, `denied` and `claim` (a vote that a member reported) are counted votes;
 * `within_cooldown` is a vote too close to another one, and is not counted. `premium` is a purchase or renewal at the
 * service, `purchase` and `refund` are the shop's. `gift` is what one
 * member gave to another one. `correction` is an adjustment by a manager, the operator or
 * a program. Later versions add causes, and may have written some to the database that this one reads: treat any other
 * text as one of these.
 * @category Ledger
 */
export type Cause = KnownCause | (string & {});

/** Checks whether an entry with this cause is a counted vote. */
export function isCountedVote(cause: Cause): boolean {
  return countedVoteCauses.some((counted) => counted === cause);
}

/** The key of an entry that a program made. @category Ledger */
export interface ProgramKey {
  /** The key that the program has passed to the ledger; missing in all other entries. */
  readonly key?: string;
}

/** One entry of the ledger. Entries are immutable; a correction is another entry. */
export interface Entry {
  readonly accountId: AccountId;
  /** Name of the listing; null if the entry belongs to none. */
  readonly listing: string | null;
  /** Whole credits, negative only for a correction, a purchase and a gift. */
  readonly credits: number;
  readonly cause: Cause;
  /** Explanation from the service, or from the author of a correction; of a gift `to ID` or `from ID`; null if there is none. */
  readonly reason: string | null;
  /** Time of the event (ms since the epoch). */
  readonly at: number;
  /** The delivery that caused the entry; null if none did. */
  readonly deliveryId: number | null;
  /** True if it is a vote whose payload had no timestamp. */
  readonly untimed: boolean;
  /**
   * Unique among the entries of an account, such as `milestone 10`, so that an achievement is paid once; of a change by
   * a program its idempotency key; otherwise null.
   */
  readonly achievement: string | null;
}
