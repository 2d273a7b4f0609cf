import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { databasesOf, freePort, postgresPrograms } from '@tallyhook/platform/testing/postgres';
import { startRedis } from '@tallyhook/platform/testing/redis';
import type {} from '@tallyhook/platform/testing/shared-postgres';
import { inject } from 'vitest';
import { openRedisReservations } from '../src/rate-limit/redis/redis-reservations.ts';
import type { ReservationRules, Reservations } from '../src/rate-limit/reserve.ts';
import { openDatabase } from '../src/storage/database.ts';
import { openFileReservations } from '../src/storage/limit/file-reservations.ts';
import { postgresReservations } from '../src/storage/postgres/postgres-reservations.ts';

const log = createLog({ level: 'silent', secrets: [] });

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

/** Reservations in a database of PostgreSQL, which loses nothing. */
export async function postgresLimitStore(rules: ReservationRules): Promise<LimitStore> {
  const shared = inject('postgres');
  const programs = postgresPrograms();
  const template = shared?.templates['service'];
  if (shared === null || programs === null || template === undefined) throw new Error('PostgreSQL is not installed.');
  const { newDatabase, dropDatabase } = databasesOf(shared.port, programs);
  const url = newDatabase(template);
  const database = await openDatabase(url);
  const { engine } = database;
  if (engine.name !== 'postgres') throw new Error('The database is not of PostgreSQL.');
  return {
    open: (clock) => Promise.resolve(postgresReservations({ engine, clock, rules, sharedTime: clock.now })),
    lose: () => Promise.resolve(),
    async close() {
      await database.destroy();
      await dropDatabase(url);
    },
  };
}

/** Reservations in Redis, which loses everything. */
export async function redisLimitStore(rules: ReservationRules): Promise<LimitStore> {
  const port = await freePort();
  const redis = await startRedis(port, mkdtempSync(join(tmpdir(), 'tallyhook-test-')));
  const url = `redis://127.0.0.1:${port}`;
  const { createClient } = await import('@keyv/redis');
  const client = createClient({ url });
  await client.connect();
  const open = (clock: Clock) =>
    openRedisReservations({ url, namespace: 'test', clock, rules, log, sharedTime: clock.now });
  await countedLongAgo(open);
  return {
    open,
    lose: async () => void (await client.flushAll()),
    async close() {
      client.destroy();
      await redis.stop();
    },
  };
}

/** So that what was answered before the first request is not unknown. */
export async function countedLongAgo(open: (clock: Clock) => Promise<Reservations>): Promise<void> {
  const first = await open(manualClock(Date.UTC(2025, 0, 1)));
  await first.reserve([{ keyId: 0, own: [], wanted: 1 }]);
  await first.close();
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
