import { hash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf, StoreUnavailableError, TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { withTimeout } from '@tallyhook/platform/with-timeout';
import {
  maxSkewMs,
  type ReservationRequest,
  type ReservationRules,
  type Reservations,
  type Reserved,
  sharedPart,
} from '../reserve.ts';

/** A command that takes longer is given up (ms): what it may have reserved counts as used. */
const commandTimeoutMs = 1 * second;
const maxReconnectMs = 1 * second;

type Script = ReturnType<typeof readScript>;

function readScript(file: string) {
  const text = readFileSync(new URL(`./${file}`, import.meta.url), 'utf8');
  return { text, digest: hash('sha1', text) };
}

export interface RedisReservationsOptions {
  /** `redis://` or `rediss://`. */
  readonly url: string;
  /** The same for all processes of a service, and different from that of any other service in the same Redis. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly rules: ReservationRules;
  readonly log: Log;
  /** The time that all processes share (ms since the epoch); the clock of the server by default. For tests. */
  readonly sharedTime?: () => number;
}

/**
 * Reservations of any number of machines, in Redis or Valkey. One script per block counts exactly, with the clock of the
 * server. It compares the run of the server: after a restart or a failover nobody knows what was lost, so no request is
 * answered until all earlier ones have left the window. While the server is away, requests reject with a
 * StoreUnavailableError. The server must not evict keys (`maxmemory-policy noeviction`).
 */
export async function openRedisReservations(options: RedisReservationsOptions): Promise<Reservations> {
  const { namespace, clock, rules, log, sharedTime = () => 0 } = options;
  const { limit, windowMs, maxBlock, blockMs } = rules;
  const scripts = { reserve: readScript('reserve.lua'), settle: readScript('settle.lua') };
  const holder = randomUUID();
  const client = await connect(options.url, log);
  // In braces, so that all keys are in the same slot of a cluster.
  const prefix = `{tallyhook:limit:${namespace}}`;
  const keyOf = ({ keyId }: { readonly keyId: number }) => `${prefix}:${keyId}`;
  const agesOf = ({ own }: { readonly own: readonly number[] }, monotonic: number) =>
    own.map((at) => monotonic - at).join(' ');

  async function run(script: Script, keys: string[], values: (string | number)[]): Promise<unknown> {
    const options = { keys, arguments: values.map(String) };
    const command = client.evalSha(script.digest, options).catch((error: unknown) => {
      if (messageOf(error).startsWith('NOSCRIPT')) return client.eval(script.text, options);
      throw error;
    });
    try {
      return await withTimeout(commandTimeoutMs, systemClock, command);
    } catch (error) {
      throw new StoreUnavailableError(error);
    }
  }

  async function reserve(requests: readonly ReservationRequest[]): Promise<readonly Reserved[]> {
    // Before the script runs, so that it stores later times rather than earlier ones.
    const monotonic = clock.monotonic();
    const results = await run(
      scripts.reserve,
      [`${prefix}:run`, ...requests.map(keyOf)],
      [
        ...[sharedTime(), holder, limit, windowMs, maxBlock, blockMs, sharedPart, maxSkewMs],
        ...requests.map((request) => `${request.wanted} ${agesOf(request, monotonic)}`),
      ],
    );
    const [[unknownAge = 0] = [], ...reserved] = (results as string[]).map((text) =>
      text.trim().split(' ').map(Number),
    );
    if (unknownAge < 0) {
      const unknown = Array.from({ length: limit }, () => monotonic - unknownAge - windowMs);
      return requests.map(() => ({ block: { size: 0, usableUntil: monotonic }, others: unknown }));
    }
    return reserved.map(([size = 0, ...ages]) => ({
      block: { size, usableUntil: monotonic + blockMs },
      others: ages.map((age) => monotonic - age),
    }));
  }

  return {
    reserveNow: () => null,
    reserve,
    async settle(used) {
      if (used.length === 0) return;
      const monotonic = clock.monotonic();
      const lifetimeMs = windowMs + maxSkewMs;
      await run(scripts.settle, used.map(keyOf), [
        ...[sharedTime(), holder, lifetimeMs],
        ...used.map((each) => agesOf(each, monotonic)),
      ]);
    },
    // Redis deletes them by itself.
    deleteOld: () => Promise.resolve(),
    async close() {
      if (client.isOpen) client.destroy();
    },
  };
}

async function connect(url: string, log: Log) {
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
