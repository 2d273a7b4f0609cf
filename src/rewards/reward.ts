/** Why a reward entry was written. `within_cooldown` and `revoked` always have 0 credits. */
export type RewardCause =
  | 'vote'
  | 'denied'
  | 'within_cooldown'
  | 'premium'
  | 'revoked'
  | 'streak'
  | 'milestone'
  | 'allListings'
  | 'party';

/** An entry that a decision adds to a member's account. */
export interface RewardEntry {
  readonly cause: RewardCause;
  /** Whole credits, 0 or more. */
  readonly credits: number;
  /** Explanation for the member; null if the cause says everything. */
  readonly reason: string | null;
  /**
   * Unique among the entries of an account, such as `milestone 10`, so that an achievement is paid once. Null for the
   * entry of the event itself, which the event's key protects.
   */
  readonly achievement: string | null;
}
