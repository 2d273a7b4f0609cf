import { z } from 'zod';
import type { Database, Sql } from './database.ts';
import type { Row } from './tables.ts';

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

/** Reads and writes reservations in one transaction. */
export interface ReservationRows {
  /** The reservations of a key by all processes. */
  of(keyId: number): Reservation[];
  /** Replaces what the holder has stored about this key. */
  store(keyId: number, reservation: Reservation): void;
}

/** Runs `work` in one transaction. Rejects with a StoreUnavailableError if it cannot be committed. */
export type WithReservations = <Result>(work: (rows: ReservationRows) => Result) => Promise<Result>;

/** Transactions over reservations: statements that are compiled once, because many requests wait for them. */
export function createReservations(database: Database): WithReservations {
  const select = database
    .selectFrom('request_reservations')
    .select(['holder', 'counted_json', 'reserved', 'usable_until'])
    .where('key_id', '=', 0)
    .compile();
  const upsert = database
    .insertInto('request_reservations')
    .values({ key_id: 0, holder: '', counted_json: '', reserved: 0, usable_until: 0, counts_until: 0 })
    .onConflict((conflict) =>
      conflict.columns(['key_id', 'holder']).doUpdateSet(({ ref }) => ({
        counted_json: ref('excluded.counted_json'),
        reserved: ref('excluded.reserved'),
        usable_until: ref('excluded.usable_until'),
        counts_until: ref('excluded.counts_until'),
      })),
    )
    .compile();
  type SelectedRow = Omit<Row<'request_reservations'>, 'key_id' | 'counts_until'>;

  return (work) =>
    database.transact((execute) =>
      work({
        of: (keyId) =>
          (execute(select.sql, [keyId]) as SelectedRow[]).map((row) => ({
            holder: row.holder,
            counted: timesSchema.parse(JSON.parse(row.counted_json)),
            reserved: row.reserved,
            usableUntil: row.usable_until,
          })),
        store(keyId, { holder, counted, reserved, usableUntil }) {
          const countsUntil = Math.max(reserved > 0 ? usableUntil : 0, ...counted);
          execute(upsert.sql, [keyId, holder, JSON.stringify(counted), reserved, usableUntil, countsUntil]);
        },
      }),
    );
}

/** Deletes what counts no requests after a time (ms since the epoch). */
export async function deleteOldReservations(sql: Sql, until: number): Promise<void> {
  await sql.deleteFrom('request_reservations').where('counts_until', '<=', until).execute();
}
