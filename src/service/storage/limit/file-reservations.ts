import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import type { ReservationRequest, ReservationRules, Reservations, Reserved } from '../../rate-limit/reservations.ts';
import { reserve, settled } from '../../rate-limit/reserve.ts';
import type { Database } from '../database.ts';
import { bootName } from './boot.ts';
import { openLimitFile } from './limit-file.ts';
import { registerHolder, unregisterHolder } from './limit-holders.ts';
import type { LimitRows } from './limit-rows.ts';
import { limitTransactions } from './limit-transactions.ts';
import { deleteOldReservations } from './reservations.ts';

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
    unknownUntil = await registerHolder({ database, transactions, clock, rules }, { holder, fileId: file.id });
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
