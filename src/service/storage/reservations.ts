import { z } from 'zod';
import type { Sql } from './database.ts';

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

const timesSchema = z.array(z.number());

/** The reservations of a key by all processes. */
export async function reservationsOf(sql: Sql, keyId: number): Promise<Reservation[]> {
  const rows = await sql
    .selectFrom('request_reservations')
    .select(['holder', 'counted_json', 'reserved', 'usable_until'])
    .where('key_id', '=', keyId)
    .execute();
  return rows.map((row) => ({
    holder: row.holder,
    counted: timesSchema.parse(JSON.parse(row.counted_json)),
    reserved: row.reserved,
    usableUntil: row.usable_until,
  }));
}

/** Replaces what the holder has stored about this key. */
export async function storeReservation(sql: Sql, keyId: number, reservation: Reservation): Promise<void> {
  const { holder, counted, reserved, usableUntil } = reservation;
  const values = {
    counted_json: JSON.stringify(counted),
    reserved,
    usable_until: usableUntil,
    counts_until: Math.max(reserved > 0 ? usableUntil : 0, ...counted),
  };
  await sql
    .insertInto('request_reservations')
    .values({ key_id: keyId, holder, ...values })
    .onConflict((conflict) => conflict.columns(['key_id', 'holder']).doUpdateSet(values))
    .execute();
}

/** Deletes what counts no requests after a time (ms since the epoch). */
export async function deleteOldReservations(sql: Sql, until: number): Promise<void> {
  await sql.deleteFrom('request_reservations').where('counts_until', '<=', until).execute();
}
