import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { sqlitePathOf } from '../../platform/database/database-url.ts';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { openFileReservations } from '../storage/limit/file-reservations.ts';
import { postgresReservations } from '../storage/postgres/postgres-reservations.ts';
import { storedSetting } from '../storage/settings.ts';
import { openRedisReservations } from './redis/redis-reservations.ts';
import type { ReservationRules, Reservations } from './reserve.ts';

/**
 * Opens the reservations that the processes of a service share: in Redis if there is one, else in PostgreSQL, or in a
 * file beside the SQLite database. All processes must use the same.
 * @param options.address of the database
 */
export async function openReservations({
  address,
  redisUrl,
  log,
  ...options
}: {
  readonly database: Database;
  readonly address: string;
  readonly redisUrl: string | undefined;
  readonly clock: Clock;
  readonly rules: ReservationRules;
  readonly log: Log;
}): Promise<Reservations> {
  const { database } = options;
  if (redisUrl !== undefined) {
    const namespace = await storedSetting(database, 'limit_namespace', randomUUID);
    return openRedisReservations({ ...options, url: redisUrl, namespace, log });
  }
  if (database.engine.name === 'postgres') return postgresReservations({ ...options, engine: database.engine });
  const path = sqlitePathOf(address) ?? address;
  return openFileReservations({ ...options, path: path === ':memory:' ? path : resolve(path) });
}

/**
 * How long a failure makes the process not ready (ms): without requests, nothing shows that reservations work again.
 */
const failureHoldMs = 10 * second;

/** Reservations, counted and watched. */
interface WatchedReservations {
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
