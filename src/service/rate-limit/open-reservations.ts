import { resolve } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { openFileReservations } from '../storage/file-reservations.ts';
import type { ReservationRules, Reservations } from './reservations.ts';

/**
 * Opens the reservations that the processes of a service share.
 * @param options.address of the database: `sqlite:` and a path
 */
export function openReservations({
  address,
  ...options
}: {
  readonly database: Database;
  readonly address: string;
  readonly clock: Clock;
  readonly rules: ReservationRules;
}): Promise<Reservations> {
  const path = address.replace(/^sqlite:/, '');
  return openFileReservations({ ...options, path: path === ':memory:' ? path : resolve(path) });
}
