import { z } from 'zod';
import type { Reservation } from '../../rate-limit/reserve.ts';
import type { Sql } from '../database.ts';
import type { Row } from '../tables.ts';

const timesSchema = z.array(z.number());

/** The columns of the table `request_reservations`, in the order of `reservationValues`. */
export const reservationColumns = ['key_id', 'holder', 'counted_json', 'reserved', 'usable_until', 'counts_until'];

export function reservationValues(keyId: number, reservation: Reservation): readonly (string | number)[] {
  const { holder, counted, reserved, usableUntil } = reservation;
  return [keyId, holder, JSON.stringify(counted), reserved, usableUntil, countsUntil(reservation)];
}

export function toReservation(row: Omit<Row<'request_reservations'>, 'counts_until'>): Reservation {
  return {
    holder: row.holder,
    counted: timesSchema.parse(JSON.parse(row.counted_json)),
    reserved: row.reserved,
    usableUntil: row.usable_until,
  };
}

/** Until when a reservation counts any request (ms since the epoch). */
export function countsUntil({ counted, reserved, usableUntil }: Reservation): number {
  return Math.max(reserved > 0 ? usableUntil : 0, ...counted);
}

/** Deletes what counts no requests after a time (ms since the epoch). */
export async function deleteOldReservations(sql: Sql, until: number): Promise<void> {
  await sql.deleteFrom('request_reservations').where('counts_until', '<=', until).execute();
}
