import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Reservations } from '../rate-limit/reservations.ts';

/**
 * How long a failure makes the process not ready (ms): without requests, nothing shows that reservations work again.
 */
const failureHoldMs = 10 * second;

/** Reservations, counted and watched. */
export interface WatchedReservations {
  readonly reservations: Reservations;
  /** The number of keys for which a block was requested. */
  readonly count: () => number;
  /** Why requests could not be reserved a moment ago; null if they could. */
  readonly failure: () => string | null;
}

export function watchReservations(inner: Reservations, clock: Clock): WatchedReservations {
  let count = 0;
  let failed: { readonly reason: string; readonly at: number } | null = null;

  function fail(error: unknown): void {
    failed = { reason: `Requests cannot be counted: ${messageOf(error)}`, at: clock.monotonic() };
  }

  return {
    reservations: {
      ...inner,
      reserveNow(request) {
        try {
          const reserved = inner.reserveNow(request);
          if (reserved === null) return null;
          count += 1;
          failed = null;
          return reserved;
        } catch (error) {
          fail(error);
          throw error;
        }
      },
      async reserve(requests) {
        try {
          const reserved = await inner.reserve(requests);
          count += requests.length;
          failed = null;
          return reserved;
        } catch (error) {
          fail(error);
          throw error;
        }
      },
    },
    count: () => count,
    failure: () => (failed !== null && clock.monotonic() - failed.at < failureHoldMs ? failed.reason : null),
  };
}
