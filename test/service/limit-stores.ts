import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../src/platform/clock.ts';
import type { ReservationRules, Reservations } from '../../src/service/rate-limit/reservations.ts';
import { openDatabase } from '../../src/service/storage/database.ts';
import { openFileReservations } from '../../src/service/storage/file-reservations.ts';

/** What processes share to count requests. */
export interface LimitStore {
  /** A process that starts. */
  open(clock: Clock): Promise<Reservations>;
  /** Loses what was stored, as a crash of the machine or of the server does. The processes are dead, or notice it. */
  lose(how: number): Promise<void>;
  close(): Promise<void>;
}

/** Reservations in the file beside a SQLite database. */
export async function limitFileStore(rules: ReservationRules): Promise<LimitStore> {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-test-'));
  const path = join(directory, 'limit.db');
  const database = await openDatabase(`sqlite:${path}`);
  let boot = 1;
  const limitFiles = () =>
    readdirSync(dirname(path))
      .filter((name) => name.startsWith(`${basename(path)}-limit-`))
      .map((name) => join(dirname(path), name));
  return {
    open: (clock) => openFileReservations({ database, path, clock, rules, boot: `boot${boot}` }),
    async lose(how) {
      // A new start of the machine, a deleted file, or a damaged one.
      if (how === 0) boot += 1;
      if (how !== 0) for (const file of limitFiles()) rmSync(file);
      if (how === 2) writeFileSync(`${path}-limit-boot${boot}`, 'damaged'.repeat(1_000));
    },
    async close() {
      await database.destroy();
      rmSync(directory, { recursive: true });
    },
  };
}

/** A process that can end without storing anything. */
export function crashable(reservations: Reservations): { readonly reservations: Reservations; crash(): void } {
  let crashed = false;
  const never = () => Promise.reject(new Error('The process has crashed.'));
  return {
    reservations: {
      reserveNow: (request) => (crashed ? null : reservations.reserveNow(request)),
      reserve: (requests) => (crashed ? never() : reservations.reserve(requests)),
      settle: (used) => (crashed ? never() : reservations.settle(used)),
      deleteOld: () => (crashed ? never() : reservations.deleteOld()),
      close: () => (crashed ? Promise.resolve() : reservations.close()),
    },
    crash() {
      crashed = true;
    },
  };
}
