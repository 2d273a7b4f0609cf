import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Clock } from '@tallyhook/platform/clock';
import { systemClock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { StoreUnavailableError } from '@tallyhook/platform/errors';
import { isBusy, resultCode } from '@tallyhook/platform/sqlite';
import {
  type ReservationRequest,
  type ReservationRules,
  type Reservations,
  type Reserved,
  reserve,
  settled,
} from '../../rate-limit/reserve.ts';
import { bulkInsert } from '../bulk-insert.ts';
import type { Database } from '../database.ts';
import {
  createLimitRows,
  type KeyReservation,
  type LimitFile,
  type LimitRows,
  openLimitFile,
  replacedCheckMs,
} from './limit-file.ts';
import { deleteOldReservations, reservationColumns, reservationValues, toReservation } from './reservations.ts';

/** How long a transaction waits for another process before it fails (ms). */
const lockTimeoutMs = 3 * second;
/** Maximum time between two attempts to get the lock (ms): others have it for microseconds. */
const maxPollMs = 5;

/** Transactions over a limit file, without a turn of the event loop within one. */
function limitTransactions({ connection, check }: LimitFile, clock: Clock) {
  const rows = createLimitRows(connection);
  const execute = (text: string): void => void connection.prepare(text).run([]);

  /** Runs `work` at once; null while another process has the lock. Throws a StoreUnavailableError. */
  function tryRun<Result>(work: (rows: LimitRows) => Result): { readonly result: Result } | null {
    check(clock.monotonic());
    try {
      execute('begin immediate');
    } catch (error) {
      if (isBusy(error)) return null;
      throw toUnavailable(error);
    }
    try {
      const result = work(rows);
      execute('commit');
      return { result };
    } catch (error) {
      try {
        execute('rollback');
      } catch {
        // SQLite has rolled back already, such as after a full disk.
      }
      throw toUnavailable(error);
    }
  }

  return {
    tryRun,
    /** Runs `work` as soon as no other process has the lock. Rejects with a StoreUnavailableError. */
    async run<Result>(work: (rows: LimitRows) => Result): Promise<Result> {
      const deadline = performance.now() + lockTimeoutMs;
      for (;;) {
        const done = tryRun(work);
        if (done !== null) return done.result;
        if (performance.now() >= deadline) throw new StoreUnavailableError(new Error('The limit file is locked.'));
        await new Promise((resolve) => setTimeout(resolve, maxPollMs * clock.random()));
      }
    },
  };
}

function toUnavailable(error: unknown): unknown {
  return resultCode(error) === 0 ? error : new StoreUnavailableError(error);
}

/** Other systems than Linux tell the time of the start, which is as precise as their clock (ms). */
const precisionMs = 10_000;

/** Names the present start of this machine: different after a crash of the machine, the same in all its containers. */
function bootName(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return String(Math.round((systemClock.now() - uptime() * 1_000) / precisionMs));
  }
}

export interface FileReservationsOptions {
  readonly database: Database;
  /** The path of the database, or `:memory:`. */
  readonly path: string;
  readonly clock: Clock;
  readonly rules: ReservationRules;
  /** Names the present start of the machine; for tests. */
  readonly boot?: string;
}

/**
 * Reservations of the processes on one machine, in a SQLite file beside the database: a reservation takes some
 * microseconds and never waits for the disk.
 *
 * It is exact nevertheless. What a process has committed to the file, the operating system has, so every process sees
 * it, also after `kill -9`. Only a crash of the machine loses it. Therefore the file of an earlier start of the machine
 * is never read. When a process stops, it moves what it has counted to the database, durably. Before it answers its
 * first request, it registers there, durably, with the id of the file, and a regular stop removes that. So a
 * registration with the id of another file is from a process whose counts are lost: then nobody knows which requests
 * were answered before, and no request is until all of them have left the window.
 */
export async function openFileReservations(options: FileReservationsOptions): Promise<Reservations> {
  const { database, path, clock, rules } = options;
  const holder = randomUUID();
  const file = openLimitFile(path, options.boot ?? bootName());
  const transactions = limitTransactions(file, clock);
  let unknownUntil: number;
  try {
    unknownUntil = await registerHolder(options, transactions, { holder, fileId: file.id });
  } catch (error) {
    file.close();
    throw error;
  }

  const reserveIn = (rows: LimitRows, { keyId, own, wanted }: ReservationRequest): Reserved => {
    const monotonic = clock.monotonic();
    if (monotonic >= unknownUntil) return reserve(rows.of(keyId, holder), { holder, own, wanted }, rules, clock);
    const unknown = Array.from({ length: rules.limit }, () => unknownUntil - rules.windowMs);
    return { block: { size: 0, usableUntil: monotonic }, others: unknown };
  };

  return {
    reserveNow: (request) => transactions.tryRun((rows) => reserveIn(rows, request))?.result ?? null,
    reserve: (requests) => transactions.run((rows) => requests.map((request) => reserveIn(rows, request))),
    settle: (used) =>
      transactions.run((rows) => {
        for (const { keyId, own } of used) rows.of(keyId, holder).store(settled({ holder, own }, clock));
      }),
    async deleteOld() {
      await deleteOldReservations(database, clock.now() - rules.windowMs);
      for (let key: number | null = 0; key !== null; ) {
        const from: number = key;
        key = await transactions.run((rows) => rows.deleteOld(from, clock.now() - rules.windowMs));
      }
    },
    async close() {
      try {
        const own = await transactions.run((rows) => rows.ofHolder(holder, clock.now() - rules.windowMs));
        await unregisterHolder(database, holder, own);
      } finally {
        file.close();
      }
    },
  };
}

/**
 * Registers a process that counts in a limit file, before it answers its first request, and gives the file what was
 * counted before by processes that have stopped.
 * @param holder.fileId the id of the limit file
 * @returns until when requests may be unknown (ms, monotonic)
 */
async function registerHolder(
  { database, clock, rules }: FileReservationsOptions,
  transactions: ReturnType<typeof limitTransactions>,
  { holder, fileId }: { readonly holder: string; readonly fileId: string },
): Promise<number> {
  const lost = await database.selectFrom('limit_holders').select('holder').where('file_id', '<>', fileId).execute();
  // A process that lost its file only now notices it soon, and may then use up its block.
  const longestMs = replacedCheckMs + rules.blockMs + rules.windowMs;
  if (lost.length > 0) {
    await transactions.run((rows) => rows.extendUnknown(clock.now() + longestMs));
    // Only now: another process that starts finds the registrations, or what they mean in the file.
    for (const { holder } of lost) await database.deleteFrom('limit_holders').where('holder', '=', holder).execute();
  }
  await database.insertInto('limit_holders').values({ holder, file_id: fileId }).execute();
  const stored = await database
    .selectFrom('request_reservations')
    .selectAll()
    .where('counts_until', '>', clock.now() - rules.windowMs)
    .execute();
  const unknownUntil = await transactions.run((rows) => {
    for (const row of stored) {
      rows.of(row.key_id, holder).store(toReservation(row));
    }
    return rows.unknownUntil();
  });
  // Not longer after the clock was set back.
  return clock.monotonic() + Math.min(unknownUntil - clock.now(), longestMs);
}

/** Removes the registration, and stores durably what the process has counted, in one transaction. */
async function unregisterHolder(database: Database, holder: string, own: readonly KeyReservation[]): Promise<void> {
  await database.transaction().execute(async (sql) => {
    const insert = bulkInsert(sql, 'sqlite', 'request_reservations', reservationColumns);
    for (const { keyId, reservation } of own) await insert.add(...reservationValues(keyId, reservation));
    await insert.flush();
    await sql.deleteFrom('limit_holders').where('holder', '=', holder).execute();
  });
}
