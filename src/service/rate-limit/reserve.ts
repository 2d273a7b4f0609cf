import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import type { Reservation, ReservationRows } from '../storage/reservations.ts';

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

/** The requests that a process may answer, and what others have answered or may answer. Times are monotonic (ms). */
export interface Reserved {
  readonly block: { readonly size: number; readonly usableUntil: number };
  readonly others: readonly number[];
}

/** While other processes serve the same key, each takes at most so much of what is left. */
const sharedPart = 1 / 4;
/** Maximum clock difference between processes on one machine (ms). Later times are from before the clock was set back. */
const maxSkewMs = 1 * second;

/**
 * Reserves requests of a key, in the caller's transaction.
 *
 * No window contains more than `limit` requests: take the last block with a request in it. When that block was
 * reserved, everything else in the window was counted or reserved already, and the sum was at most `limit`.
 * @param request.own monotonic times (ms) of the holder's own requests in the window; `wanted`: requests that wait
 */
export function reserve(
  rows: ReservationRows,
  request: { keyId: number; holder: string; own: readonly number[]; wanted: number },
  { limit, windowMs, maxBlock, blockMs }: ReservationRules,
  clock: Clock,
): Reserved {
  const { keyId, holder, own, wanted } = request;
  const others: number[] = [];
  // In this order: a pause of the process between the two makes what is stored later, never earlier.
  const monotonic = clock.monotonic();
  const now = clock.now();
  for (const stored of rows.of(keyId)) {
    if (stored.holder === holder) continue;
    const reservation = withoutFuture(stored, now, blockMs);
    // Stored, so that it is not the future again for the next process.
    if (reservation !== stored) rows.store(keyId, reservation);
    const { counted, reserved, usableUntil } = reservation;
    const times = [...counted, ...Array.from({ length: reserved }, () => usableUntil)];
    for (const at of times) if (at > now - windowMs) others.push(at - now + monotonic);
  }
  const available = limit - own.length - others.length;
  const share = others.length === 0 ? available : Math.floor(available * sharedPart);
  const size = Math.max(0, Math.min(available, Math.max(wanted, Math.min(maxBlock, share))));
  if (size > 0) {
    const counted = own.map((at) => Math.ceil(at - monotonic + now));
    rows.store(keyId, { holder, counted, reserved: size, usableUntil: now + blockMs });
  }
  return { block: { size, usableUntil: monotonic + blockMs }, others };
}

/** The same reservation, unless the clock was set back after it was stored: then as late as it can have been. */
function withoutFuture(reservation: Reservation, now: number, blockMs: number): Reservation {
  const { counted, reserved, usableUntil } = reservation;
  const isFuture =
    counted.some((at) => at > now + maxSkewMs) || (reserved > 0 && usableUntil > now + blockMs + maxSkewMs);
  if (!isFuture) return reservation;
  return {
    ...reservation,
    counted: counted.map((at) => Math.min(at, now)),
    usableUntil: Math.min(usableUntil, now + blockMs),
  };
}
