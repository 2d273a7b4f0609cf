import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';

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

export interface ReservationRows {
  /** Those of other processes. */
  others(): readonly Reservation[];
  /** Replaces what a holder has stored. */
  store(reservation: Reservation): void;
}

export interface ReservationRequest {
  readonly keyId: number;
  /** When the process itself answered requests of the key in the window (ms, monotonic). */
  readonly own: readonly number[];
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

/** While other processes serve the same key, each takes at most so much of what is left. */
export const sharedPart = 1 / 4;
/** Maximum clock difference between processes (ms). Later times are from before the clock was set back. */
export const maxSkewMs = 1 * second;

/**
 * Reserves requests of a key, in the caller's transaction.
 *
 * No window contains more than `limit` requests: take the last block with a request in it. When that block was
 * reserved, everything else in the window was counted or reserved already, and the sum was at most `limit`.
 * @param clock its `now` is the same for all processes that share the reservations
 */
export function reserve(
  rows: ReservationRows,
  { holder, own, wanted }: Pick<ReservationRequest, 'own' | 'wanted'> & { readonly holder: string },
  { limit, windowMs, maxBlock, blockMs }: ReservationRules,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): Reserved {
  const others: number[] = [];
  // In this order: a pause of the process between the two makes what is stored later, never earlier.
  const monotonic = clock.monotonic();
  const now = clock.now();
  for (const stored of rows.others()) {
    const reservation = withoutFuture(stored, now, blockMs);
    // Stored, so that it is not the future again for the next process.
    if (reservation !== stored) rows.store(reservation);
    const { counted, reserved, usableUntil } = reservation;
    for (const at of counted) if (at > now - windowMs) others.push(at - now + monotonic);
    if (usableUntil <= now - windowMs) continue;
    for (let index = 0; index < reserved; index += 1) others.push(usableUntil - now + monotonic);
  }
  const available = limit - own.length - others.length;
  const share = others.length === 0 ? available : Math.floor(available * sharedPart);
  const size = Math.max(0, Math.min(available, Math.max(wanted, Math.min(maxBlock, share))));
  if (size > 0) {
    const counted = own.map((at) => Math.ceil(at - monotonic + now));
    rows.store({ holder, counted, reserved: size, usableUntil: now + blockMs });
  }
  return { block: { size, usableUntil: monotonic + blockMs }, others };
}

/** The own requests without a block, to be stored in its place. */
export function settled(
  { holder, own }: { readonly holder: string; readonly own: readonly number[] },
  clock: Pick<Clock, 'now' | 'monotonic'>,
): Reservation {
  // In this order: a pause of the process between the two makes what is stored later, never earlier.
  const monotonic = clock.monotonic();
  const now = clock.now();
  return { holder, counted: own.map((at) => Math.ceil(at - monotonic + now)), reserved: 0, usableUntil: 0 };
}

/** The same reservation, unless the clock was set back after it was stored: then as late as it can have been. */
function withoutFuture(reservation: Reservation, now: number, blockMs: number): Reservation {
  const { counted, reserved, usableUntil } = reservation;
  const isCountedLater = counted.some((at) => at > now + maxSkewMs);
  const isUsableLater = reserved > 0 && usableUntil > now + blockMs + maxSkewMs;
  if (!isCountedLater && !isUsableLater) return reservation;
  return {
    ...reservation,
    counted: counted.map((at) => Math.min(at, now)),
    usableUntil: Math.min(usableUntil, now + blockMs),
  };
}
