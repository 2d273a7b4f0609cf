/** What a process has stored about the requests of one key. Times are ms since the epoch. */
export interface Reservation {
  /** The process. */
  readonly holder: string;
  /** When requests were answered, as far as it was known when this was stored; in any order. */
  readonly counted: readonly number[];
  /** Further requests that the process may have answered since, or may still answer. */
  readonly reserved: number;
  /** The reserved ones are not answered later than this. */
  readonly usableUntil: number;
}

/** The reservations of one key in a transaction. */
export interface ReservationRows {
  /** Those of other processes. */
  others(): readonly Reservation[];
  /** Replaces what a holder has stored. */
  store(reservation: Reservation): void;
}

/** Requests of a key that wait for a reservation. */
export interface ReservationRequest {
  readonly keyId: number;
  /** When the process itself answered requests of the key in the window (ms, monotonic). */
  readonly own: readonly number[];
  /** How many requests wait. */
  readonly wanted: number;
}

/** The requests that a process may answer, and what others have answered or may answer. Times are monotonic (ms). */
export interface Reserved {
  readonly block: { readonly size: number; readonly usableUntil: number };
  readonly others: readonly number[];
}

export interface ReservationRules {
  /** Requests of a key in each window. */
  readonly limit: number;
  /** Length of the sliding window (ms). */
  readonly windowMs: number;
  /** Maximum size of a block. */
  readonly maxBlock: number;
  /** How long a block may be used (ms). */
  readonly blockMs: number;
}

/** Where the processes of a service reserve requests. What one has reserved, every other one sees, also after a crash. */
export interface Reservations {
  /** Reserves without waiting; null if that is not possible now. Throws a StoreUnavailableError. */
  reserveNow(request: ReservationRequest): Reserved | null;
  /** Reserves for several keys, in the same order. Rejects with a StoreUnavailableError. */
  reserve(requests: readonly ReservationRequest[]): Promise<readonly Reserved[]>;
  /** Stores the times of the own requests in place of blocks, which gives back what was not used. */
  settle(used: readonly Pick<ReservationRequest, 'keyId' | 'own'>[]): Promise<void>;
  /** Deletes what is older than a window. */
  deleteOld(): Promise<void>;
  /** Call it after everything is settled. */
  close(): Promise<void>;
}
