import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { second } from '@tallyhook/platform/durations';
import { StoreUnavailableError } from '@tallyhook/platform/errors';
import { forKysely, openSqlite, resultCode } from '@tallyhook/platform/sqlite';
import type { SqliteDatabase } from 'kysely';
import type { Reservation, ReservationRows } from '../../rate-limit/reserve.ts';
import { countsUntil } from './reservations.ts';

/** A process notices within this time that its file was replaced (ms). */
export const replacedCheckMs = 1 * second;
/** While another process creates the file (ms). */
const openTimeoutMs = 5 * second;
/** SQLite's codes of a damaged file: CORRUPT and NOTADB. */
const damaged = [11, 26];

const tables = [
  'create table if not exists file (id text not null, unknown_until integer not null) strict',
  `create table if not exists reservations (
    key_id integer not null, holder text not null, counted text not null, reserved integer not null,
    usable_until integer not null, counts_until integer not null, primary key (key_id, holder)
  ) strict, without rowid`,
];

/**
 * Opens or creates the limit file of a database: `service.db-limit-` and a name of this start of the machine. A commit
 * does not wait for the disk, so what a crash of the machine leaves of the file is not to be trusted, and is deleted
 * with the first file after it.
 * @param database path, or `:memory:`
 * @param boot names the start of the machine
 */
export function openLimitFile(database: string, boot: string) {
  if (database === ':memory:') return openFile(':memory:', []);
  const prefix = `${basename(database)}-limit-`;
  const name = prefix + boot.replaceAll(/[^0-9a-z]/g, '').slice(0, 16);
  const path = join(dirname(database), name);
  for (const each of readdirSync(dirname(database))) {
    if (each.startsWith(prefix) && !each.startsWith(name)) rmSync(join(dirname(database), each), { force: true });
  }
  try {
    return openFile(path, [path, database]);
  } catch (error) {
    if (!damaged.includes(resultCode(error))) throw error;
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    return openFile(path, [path, database]);
  }
}

export type LimitFile = ReturnType<typeof openFile>;

function openFile(path: string, checked: readonly string[]) {
  const database = openSqlite(path, { busyTimeoutMs: openTimeoutMs });
  try {
    database.exec('PRAGMA page_size = 1024');
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = OFF');
    database.exec('begin immediate');
    for (const text of tables) database.exec(text);
    database
      .prepare('insert into file (id, unknown_until) select ?, 0 where not exists (select 1 from file)')
      .run(randomUUID());
    const id = String(database.prepare('select id from file').get()?.['id']);
    database.exec('commit');
    database.exec('PRAGMA busy_timeout = 0');
    return {
      /** Names the contents: a file that replaces this one has another id. */
      id,
      connection: forKysely(database),
      /**
       * Throws a StoreUnavailableError if this file or the database was deleted or replaced, {@link replacedCheckMs}
       * later at the latest.
       */
      check: createCheck(checked),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Looks at most once per interval, because each look takes as long as a reservation. */
function createCheck(paths: readonly string[]): (monotonic: number) => void {
  const files = paths.map((path) => ({ path, inode: inodeOf(path) }));
  let nextAt = Number.NEGATIVE_INFINITY;
  return (monotonic) => {
    if (monotonic < nextAt) return;
    const replaced = files.find(({ path, inode }) => inodeOf(path) !== inode);
    if (replaced !== undefined)
      throw new StoreUnavailableError(new Error(`${replaced.path} was deleted or replaced while it was open.`));
    nextAt = monotonic + replacedCheckMs;
  };
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

export interface KeyReservation {
  readonly keyId: number;
  readonly reservation: Reservation;
}

export type LimitRows = ReturnType<typeof createLimitRows>;

const keysPerDelete = 500;

interface SelectedRow {
  readonly key_id: number;
  readonly holder: string;
  readonly counted: string;
  readonly reserved: number;
  readonly usable_until: number;
}

export function createLimitRows(connection: SqliteDatabase) {
  const all = <Row>(text: string, ...values: readonly unknown[]) => connection.prepare(text).all(values) as Row[];
  const run = (text: string, ...values: readonly unknown[]) => void connection.prepare(text).run(values);
  const columns = 'key_id, holder, counted, reserved, usable_until';
  const select = `select ${columns} from reservations`;

  return {
    /** The reservations of a key, as the holder sees them. */
    of: (keyId: number, holder: string): ReservationRows => ({
      others: () => all<SelectedRow>(`${select} where key_id = ? and holder <> ?`, keyId, holder).map(toReservation),
      store: (reservation) =>
        run(
          `insert or replace into reservations (${columns}, counts_until) values (?, ?, ?, ?, ?, ?)`,
          ...valuesOf(keyId, reservation),
        ),
    }),
    /** What a holder has stored and counts requests after a time (ms since the epoch). */
    ofHolder(holder: string, after: number): readonly KeyReservation[] {
      const rows = all<SelectedRow>(`${select} where holder = ? and counts_until > ?`, holder, after);
      return rows.map((row) => ({ keyId: row.key_id, reservation: toReservation(row) }));
    },
    /**
     * Deletes what counts no requests after a time, for some keys from this one on, so that no one waits for long.
     * @returns the next key, or null after the last
     */
    deleteOld(fromKey: number, until: number): number | null {
      const first = 'select key_id from reservations where key_id >= ? order by key_id limit 1 offset ?';
      const [next] = all<{ key_id: number }>(first, fromKey, keysPerDelete);
      const end = next === undefined ? null : Math.max(next.key_id, fromKey + 1);
      const range = 'key_id >= ? and key_id < ? and counts_until <= ?';
      run(`delete from reservations where ${range}`, fromKey, end ?? Number.MAX_SAFE_INTEGER, until);
      return end;
    },
    /** Until when unknown requests count as used (ms since the epoch). */
    unknownUntil: () => all<{ unknown_until: number }>('select unknown_until from file')[0]?.unknown_until ?? 0,
    extendUnknown: (until: number) => run('update file set unknown_until = max(unknown_until, ?)', until),
  };
}

function valuesOf(keyId: number, reservation: Reservation): readonly (string | number)[] {
  const { holder, counted, reserved, usableUntil } = reservation;
  return [keyId, holder, counted.join(' '), reserved, usableUntil, countsUntil(reservation)];
}

function toReservation({ holder, counted, reserved, usable_until: usableUntil }: SelectedRow): Reservation {
  return { holder, counted: counted === '' ? [] : counted.split(' ').map(Number), reserved, usableUntil };
}
