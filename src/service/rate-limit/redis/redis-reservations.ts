import { hash, randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { second } from '../../../platform/durations.ts';
import { messageOf, StoreUnavailableError, TallyhookError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { withTimeout } from '../../../platform/with-timeout.ts';
import {
  maxSkewMs,
  type ReservationRequest,
  type ReservationRules,
  type Reservations,
  type Reserved,
  sharedPart,
} from '../reserve.ts';

/**
 * Reserves requests of several keys, as `reserve` does for a database, with the clock of the server.
 *
 * A hash per key has a field per process: until when its block may be used, its size, and the times of the requests
 * that were counted, separated by spaces (ms). The hash `KEYS[1]` has the run of the server that has counted until now:
 * a server that was restarted, or another one that replaced it, may have lost what was counted, so all requests count
 * as used until what was answered before has left the window.
 *
 * KEYS: that hash, then one per key. ARGV: time (ms, or 0 for the server's), holder, limit, window (ms), largest block,
 * time to use a block (ms), shared part, greatest difference of clocks (ms); then per key the requests that wait and the
 * ages of the own ones (ms).
 * @returns until when requests are unknown, as an age, then per key the size of the block and the ages of the requests
 * of others, as text
 */
const reserveScript = `
local function integer(value) return string.format('%.0f', value) end
local now = tonumber(ARGV[1])
if now == 0 then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local holder, limit, window, largest = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local usable, sharedPart, skew = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local known = redis.call('HMGET', KEYS[1], 'run', 'unknown_until')
local unknownUntil = tonumber(known[2] or '0')
if known[1] ~= run or unknownUntil > now + usable + window then
  unknownUntil = now + usable + window
  redis.call('HSET', KEYS[1], 'run', run, 'unknown_until', integer(unknownUntil))
end

local function reserve(key, wanted, ages)
  local others = {}
  local stored = redis.call('HGETALL', key)
  for field = 1, #stored, 2 do
    if stored[field] ~= holder then
      local times, isFuture, last = {}, false, 0
      for text in string.gmatch(stored[field + 1], '%S+') do times[#times + 1] = tonumber(text) end
      if times[2] > 0 and times[1] > now + usable + skew then
        times[1], isFuture = now + usable, true
      end
      for at = 3, #times do
        if times[at] > now + skew then isFuture = true end
      end
      for at = 3, #times do
        if isFuture then times[at] = math.min(times[at], now) end
        if times[at] > now - window then others[#others + 1] = integer(now - times[at]) end
        last = math.max(last, times[at])
      end
      if times[2] > 0 then
        last = math.max(last, times[1])
        if times[1] > now - window then
          for _ = 1, times[2] do others[#others + 1] = integer(now - times[1]) end
        end
      end
      if last <= now - window then
        redis.call('HDEL', key, stored[field])
      elseif isFuture then
        for at = 1, #times do times[at] = integer(times[at]) end
        redis.call('HSET', key, stored[field], table.concat(times, ' '))
      end
    end
  end
  local available = limit - #ages - #others
  local share = available
  if #others > 0 then share = math.floor(available * sharedPart) end
  local size = math.max(0, math.min(available, math.max(wanted, math.min(largest, share))))
  if size > 0 then
    local times = { integer(now + usable), integer(size) }
    for _, age in ipairs(ages) do times[#times + 1] = integer(math.ceil(now - age)) end
    redis.call('HSET', key, holder, table.concat(times, ' '))
    redis.call('PEXPIRE', key, usable + window + skew)
  end
  return integer(size) .. ' ' .. table.concat(others, ' ')
end

local results = { integer(now - unknownUntil) }
for index = 2, #KEYS do
  local ages, wanted = {}, nil
  for text in string.gmatch(ARGV[7 + index], '%S+') do
    if wanted == nil then wanted = tonumber(text) else ages[#ages + 1] = tonumber(text) end
  end
  if now < unknownUntil then results[index] = '0 '
  else results[index] = reserve(KEYS[index], wanted, ages) end
end
return results
`;

/**
 * Stores the times of the own requests in place of blocks. KEYS: one per key. ARGV: time (ms, or 0 for the server's),
 * holder, how long to store (ms), then per key the ages of the own requests (ms).
 */
const settleScript = `
local now = tonumber(ARGV[1])
if now == 0 then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
for index, key in ipairs(KEYS) do
  local times = { '0', '0' }
  for text in string.gmatch(ARGV[3 + index], '%S+') do
    times[#times + 1] = string.format('%.0f', math.ceil(now - tonumber(text)))
  end
  redis.call('HSET', key, ARGV[2], table.concat(times, ' '))
  redis.call('PEXPIRE', key, tonumber(ARGV[3]))
end
`;

/** A command that takes longer is given up (ms): what it may have reserved counts as used. */
const commandTimeoutMs = 1 * second;
const maxReconnectMs = 1 * second;

interface Script {
  readonly text: string;
  readonly digest: string;
}

const scripts = { reserve: scriptOf(reserveScript), settle: scriptOf(settleScript) };

function scriptOf(text: string): Script {
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
