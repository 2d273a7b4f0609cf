/** A process in a group, and how often it has renewed its membership. */
export interface LeaseHolder {
  /** Random, and never used again after the holder was removed. */
  readonly id: string;
  readonly beat: number;
}

/** A slot that a process holds. `size` is the size of the group when it was taken. */
export interface Lease {
  readonly slot: number;
  readonly size: number;
  readonly holder: string;
}

/** The processes that share the slots 0 to `size - 1`, and who holds which. */
export interface LeaseGroup {
  readonly size: number;
  /** All that have not left or been removed, including crashed ones. */
  readonly holders: readonly LeaseHolder[];
  readonly leases: readonly Lease[];
}

/**
 * Leases in the database. It compares no times: whether a holder still lives is decided by those who watch its beat. Every
 * method is a separate transaction and rejects with {@link StoreUnavailableError} or TallyhookError `queue_full`.
 */
export interface LeaseStore {
  /** Adds a holder. The group gets this size if it has no other holder; otherwise its size remains. */
  join(group: string, holder: string, size: number): Promise<void>;
  /** Counts a beat of the holder; null if it was removed. */
  renew(group: string, holder: string): Promise<LeaseGroup | null>;
  /**
   * Takes up to `limit` of these slots that are free, and returns them. None if the holder was removed, if the group does
   * not have this size (any more), or while a slot is held that was taken when the group had another size.
   */
  take(
    group: string,
    holder: string,
    request: { readonly size: number; readonly slots: readonly number[]; readonly limit: number },
  ): Promise<readonly number[]>;
  /** Gives slots back, of whatever size. */
  release(group: string, holder: string, slots: readonly number[]): Promise<void>;
  /** Removes a holder with all its leases, unless it has renewed since `beat`; null in any case. */
  remove(holder: string, beat: number | null): Promise<void>;
  /** Changes the size of a group. Slots of the old size must be given back before those of the new one can be taken. */
  resize(group: string, size: number): Promise<void>;
}
