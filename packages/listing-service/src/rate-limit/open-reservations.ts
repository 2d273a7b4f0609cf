import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import type { ServiceContext } from '../context.ts';
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
  ...options
}: ServiceContext & {
  readonly address: string;
  readonly redisUrl: string | undefined;
  readonly rules: ReservationRules;
}): Promise<Reservations> {
  const { database } = options;
  if (redisUrl !== undefined) {
    const namespace = await storedSetting(database, 'limit_namespace', randomUUID);
    return openRedisReservations({ ...options, url: redisUrl, namespace });
  }
  if (database.engine.name === 'postgres') return postgresReservations({ ...options, engine: database.engine });
  const path = sqlitePathOf(address) ?? address;
  return openFileReservations({ ...options, path: path === ':memory:' ? path : resolve(path) });
}
