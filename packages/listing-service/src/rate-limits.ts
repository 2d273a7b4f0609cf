import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { systemClock } from '@tallyhook/platform/clock';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf, StoreUnavailableError, TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { openSqlite } from '@tallyhook/platform/sqlite';
import { withTimeout } from '@tallyhook/platform/with-timeout';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
  RateLimiterSQLite,
} from 'rate-limiter-flexible';
import type { ServiceContext } from './context.ts';
import type { PostgresEngine } from './storage/engine.ts';
import { storedSetting } from './storage/settings.ts';

/** How many times something may be done in a window of time, which begins with the first time. */
export interface ActionLimit {
  readonly limit: number;
  readonly windowMs: number;
}

/** A request after it was counted, or rejected. */
export interface CountedRequest {
  readonly isAllowed: boolean;
  /** How many more are allowed in this window. */
  readonly remaining: number;
  /** Until the window ends (ms). */
  readonly resetMs: number;
}

/** Counts a request of a key. Rejects with a StoreUnavailableError if it cannot be counted. */
export type CountRequest = (key: string) => Promise<CountedRequest>;

/** Where the processes of a service count together, until the end of each window. */
interface LimitStore {
  limiter(options: {
    readonly keyPrefix: string;
    readonly points: number;
    readonly duration: number;
  }): RateLimiterAbstract;
  deleteExpired(now: number): Promise<void>;
  /** Why requests cannot be counted now; null if they can, as far as it is known. */
  failure(): string | null;
  close(): void;
}

/** The accepted difference between the clocks of processes (ms). */
const clockToleranceMs = 1 * minute;

/** All limits of a service: those of API keys, of members and of addresses. */
export type RateLimits = Awaited<ReturnType<typeof openRateLimits>>;

/**
 * Opens the store of counted requests: Redis if there is one, else PostgreSQL, or a file beside the SQLite database. All
 * processes must use the same.
 * @param options.address of the database
 */
export async function openRateLimits({
  database,
  log,
  address,
  redisUrl,
}: ServiceContext & { readonly address: string; readonly redisUrl: string | undefined }) {
  const store =
    redisUrl !== undefined
      ? await redisStore(redisUrl, await storedSetting(database, 'limit_namespace', randomUUID), log)
      : database.engine.name === 'postgres'
        ? postgresStore(database.engine)
        : sqliteStore(sqlitePathOf(address) ?? address);
  return {
    /** @param name of what is counted, the same in all processes */
    create(name: string, { limit, windowMs }: ActionLimit): CountRequest {
      const limiter = store.limiter({ keyPrefix: name, points: limit, duration: windowMs / second });
      async function consume(key: string): Promise<CountedRequest> {
        try {
          return { isAllowed: true, ...quotaOf(await limiter.consume(key)) };
        } catch (rejected) {
          if (rejected instanceof RateLimiterRes) return { isAllowed: false, ...quotaOf(rejected) };
          throw rejected instanceof StoreUnavailableError ? rejected : new StoreUnavailableError(rejected);
        }
      }
      return async (key) => {
        const counted = await consume(key);
        if (counted.resetMs <= windowMs + clockToleranceMs) return counted;
        // The clock was set back, after which the window would end too late.
        await limiter.delete(key);
        return consume(key);
      };
    },
    deleteExpired: store.deleteExpired,
    failure: store.failure,
    close: store.close,
  };
}

const quotaOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes) => ({
  remaining: remainingPoints,
  resetMs: msBeforeNext,
});

/** How long a process waits for another one that writes to the file (ms). It blocks the thread. */
const busyTimeoutMs = 100;

/**
 * A file of its own, so that a lookup waits neither for votes nor for the disk. While it cannot be written, as on a full
 * disk, the process counts alone.
 */
function sqliteStore(path: string): LimitStore {
  const database = openSqlite(path === ':memory:' ? path : `${resolve(path)}-limits`, { busyTimeoutMs });
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = normal');
  database.exec('create table if not exists rate_limits (key text primary key, points integer, expire integer) strict');
  const remove = database.prepare('delete from rate_limits where expire <= ?');
  const statements = new Map<string, StatementSync>();
  const storeClient = {
    prepare(text: string): StatementSync {
      const statement = statements.get(text) ?? database.prepare(text);
      statements.set(text, statement);
      return statement;
    },
    // A single statement is a transaction.
    transaction: <Run>(run: Run) => run,
  };
  return {
    limiter: (options) =>
      new RateLimiterSQLite({
        ...options,
        storeClient,
        storeType: 'better-sqlite3',
        tableName: 'rate_limits',
        tableCreated: true,
        insuranceLimiter: new RateLimiterMemory(options),
      }),
    deleteExpired: async (now) => void remove.run(now),
    failure: () => null,
    close: () => database.close(),
  };
}

/** The table is not written ahead: a crash of the server empties it, and a count does not wait for the disk. */
function postgresStore(engine: PostgresEngine): LimitStore {
  // Without the names of prepared statements, which PgBouncer does not know.
  const storeClient = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => ({ rows: await engine.run(text, values) }),
  };
  return {
    limiter: (options) =>
      new RateLimiterPostgres({
        ...options,
        storeClient,
        storeType: 'client',
        tableName: 'rate_limits',
        tableCreated: true,
        clearExpiredByTimeout: false,
        inMemoryBlockOnConsumed: options.points,
      }),
    deleteExpired: async (now) => void (await engine.run('delete from rate_limits where expire <= $1', [now])),
    failure: () => null,
    close: () => {},
  };
}

/** A command that takes longer is given up (ms). */
const commandTimeoutMs = 1 * second;
const maxReconnectMs = 1 * second;

/** Redis or Valkey, which must not evict keys (`maxmemory-policy noeviction`), and deletes what has expired by itself. */
async function redisStore(url: string, namespace: string, log: Log): Promise<LimitStore> {
  const client = await connectRedis(url, log);
  const evaluate: typeof client.eval = (...command) =>
    withTimeout(commandTimeoutMs, systemClock, client.eval(...command));
  return {
    limiter: (options) =>
      new RateLimiterRedis({
        ...options,
        keyPrefix: `tallyhook:limit:${namespace}:${options.keyPrefix}`,
        storeClient: { eval: evaluate },
        useRedisPackage: true,
        inMemoryBlockOnConsumed: options.points,
      }),
    deleteExpired: () => Promise.resolve(),
    failure: () => (client.isReady ? null : 'Requests cannot be counted: Redis is not available.'),
    close() {
      if (client.isOpen) client.destroy();
    },
  };
}

async function connectRedis(url: string, log: Log) {
  const { createClient } = await import('@keyv/redis').catch((cause: unknown) => {
    throw new TallyhookError('service_database', 'The client of Redis cannot be loaded.', {
      cause,
      hint: 'Install the package @keyv/redis.',
    });
  });
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: second, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, maxReconnectMs) },
  });
  let isAway = false;
  client.on('error', (error: unknown) => {
    if (!isAway) log.error({ error: messageOf(error) }, 'Redis is not available; lookups get 503');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) log.info('Redis is available again');
    isAway = false;
  });
  // It connects, also if that takes long: until then lookups get 503.
  void client.connect().catch(() => {});
  await new Promise<void>((resolve) => {
    client.once('ready', resolve);
    client.once('error', () => resolve());
  });
  return client;
}
