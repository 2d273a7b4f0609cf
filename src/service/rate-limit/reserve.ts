import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import type { Reservation, ReservationRequest, ReservationRows, ReservationRules, Reserved } from './reservations.ts';

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
