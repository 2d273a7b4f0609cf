/** The rows about a member by table, as they are stored, with JSON columns parsed. Times are ms since the epoch. */
export type ExportedRows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** What a member is replaced with, and for how long. */
export interface Forgetting {
  /** From {@link createPseudonym}. */
  readonly pseudonym: string;
  /** The current time (ms since the epoch). */
  readonly now: number;
  /** For how long after a vote its repeat is still recognised if it has no timestamp (ms). */
  readonly keepVotesMs: number;
}

/**
 * Everything that is stored about a member. Methods that write reject with {@link StoreUnavailableError} or
 * TallyhookError `queue_full`, methods that only read with the driver's own error.
 */
export interface MemberData {
  /** Tables without rows about the member are missing. */
  export(userId: string): Promise<ExportedRows>;
  /**
   * Replaces the member's id everywhere, deletes the bodies of the member's deliveries and cancels waiting effects, in
   * one transaction. Entries, sums and idempotency keys remain. Roles that were granted are removed by effects, which
   * contain the id until then. Does nothing for a member of whom nothing is stored.
   */
  forget(userId: string, forgetting: Forgetting): Promise<void>;
  /** Deletes what is kept for a limited time and has expired. */
  deleteExpired(now: number): Promise<void>;
}
