/** What one transaction has pruned: how many rows, and whether there may be more. */
export interface Pruned {
  readonly pruned: number;
  readonly hasMore: boolean;
}

/**
 * Deletes what is not needed any more, at most `limit` rows in a transaction, so that no vote waits for long. Event
 * keys, entries and accounts are never deleted.
 *
 * All methods reject with {@link StoreUnavailableError} or TallyhookError `queue_full`.
 */
export interface PruningStore {
  /**
   * Whether this process may prune until a time; otherwise another one does. All times are ms since the epoch.
   * @param heldUntil the end of its last lease; null before the first
   */
  lease(now: number, heldUntil: number | null, until: number): Promise<boolean>;
  /** Empties the bodies of deliveries that were received before a time, except of quarantined ones. */
  pruneBodies(receivedBefore: number, limit: number): Promise<Pruned>;
  /** Deletes effects that were done before a time. Waiting and buried ones are kept. */
  pruneEffects(finishedBefore: number, limit: number): Promise<Pruned>;
}

/** Counts the rows that were added, so that summaries need not count whole tables. */
export interface CountingStore {
  /** Counts some rows. Returns whether there are more. Rejects as {@link PruningStore}, or with the driver's error. */
  advance(): Promise<boolean>;
  /** Forgets all counts, so that everything is counted again; to be called after entries have moved to other accounts. */
  reset(): Promise<void>;
  /** Deletes counts of votes that no chart shows (ms since the epoch). Returns whether there may be more. */
  deleteVotesBefore(at: number): Promise<boolean>;
}
