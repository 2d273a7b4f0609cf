import type { SqliteDatabase } from 'kysely';
import type { Reservation, ReservationRows } from '../../rate-limit/reservations.ts';
import { countsUntil } from './reservations.ts';

/** A reservation with its key. */
export interface KeyReservation {
  readonly keyId: number;
  readonly reservation: Reservation;
}

/** The statements over the reservations in a limit file. */
export interface LimitRows {
  /** The reservations of a key, as the holder sees them. */
  of(keyId: number, holder: string): ReservationRows;
  /** What a holder has stored and counts requests after a time (ms since the epoch). */
  ofHolder(holder: string, after: number): readonly KeyReservation[];
  /**
   * Deletes what counts no requests after a time, for some keys from this one on, so that no one waits for long.
   * @returns the next key, or null after the last
   */
  deleteOld(fromKey: number, until: number): number | null;
  /** Until when unknown requests count as used (ms since the epoch). */
  unknownUntil(): number;
  extendUnknown(until: number): void;
}

const keysPerDelete = 500;

interface SelectedRow {
  readonly key_id: number;
  readonly holder: string;
  readonly counted: string;
  readonly reserved: number;
  readonly usable_until: number;
}

export function createLimitRows(connection: SqliteDatabase): LimitRows {
  const all = <Row>(text: string, ...values: readonly unknown[]) => connection.prepare(text).all(values) as Row[];
  const run = (text: string, ...values: readonly unknown[]) => void connection.prepare(text).run(values);
  const columns = 'key_id, holder, counted, reserved, usable_until';
  const select = `select ${columns} from reservations`;

  return {
    of: (keyId, holder) => ({
      others: () => all<SelectedRow>(`${select} where key_id = ? and holder <> ?`, keyId, holder).map(toReservation),
      store: (reservation) =>
        run(
          `insert or replace into reservations (${columns}, counts_until) values (?, ?, ?, ?, ?, ?)`,
          ...valuesOf(keyId, reservation),
        ),
    }),
    ofHolder(holder, after) {
      const rows = all<SelectedRow>(`${select} where holder = ? and counts_until > ?`, holder, after);
      return rows.map((row) => ({ keyId: row.key_id, reservation: toReservation(row) }));
    },
    deleteOld(fromKey, until) {
      const first = 'select key_id from reservations where key_id >= ? order by key_id limit 1 offset ?';
      const [next] = all<{ key_id: number }>(first, fromKey, keysPerDelete);
      const end = next === undefined ? null : Math.max(next.key_id, fromKey + 1);
      const range = 'key_id >= ? and key_id < ? and counts_until <= ?';
      run(`delete from reservations where ${range}`, fromKey, end ?? Number.MAX_SAFE_INTEGER, until);
      return end;
    },
    unknownUntil: () => all<{ unknown_until: number }>('select unknown_until from file')[0]?.unknown_until ?? 0,
    extendUnknown: (until) => run('update file set unknown_until = max(unknown_until, ?)', until),
  };
}

function valuesOf(keyId: number, reservation: Reservation): readonly (string | number)[] {
  const { holder, counted, reserved, usableUntil } = reservation;
  return [keyId, holder, counted.join(' '), reserved, usableUntil, countsUntil(reservation)];
}

function toReservation({ holder, counted, reserved, usable_until: usableUntil }: SelectedRow): Reservation {
  return { holder, counted: counted === '' ? [] : counted.split(' ').map(Number), reserved, usableUntil };
}
