import type { Sql } from './database.ts';

/** Deletes what counts no requests after a time (ms since the epoch). */
export async function deleteOldReservations(sql: Sql, until: number): Promise<void> {
  await sql.deleteFrom('request_reservations').where('counts_until', '<=', until).execute();
}
