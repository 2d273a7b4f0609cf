import { DefaultRestOptions, type RateLimitData, type RESTOptions } from '@discordjs/rest';
import type { Clock } from '@tallyhook/platform/clock';
import { day, minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop } from '@tallyhook/platform/loop';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';

/** discord.js adds this margin to every wait (ms). A wait that is not longer came from a `Retry-After` of 0 or none. */
export const retryMarginMs = 50;
/** Used if the response has no `Retry-After`, or one that is not a number, for example from a proxy (ms). */
const defaultRetryDelayMs = 5 * second;
/** A longer delay is a mistake of the sender; a Node timer of more than 24 days would fire at once (ms). */
const maxRetryDelayMs = 1 * day;

type RetryTimes = Pick<RateLimitData, 'retryAfter' | 'timeToReset'>;

/**
 * True if a rate limit has a usable delay: the time until the bucket resets or, for a rejected request, `Retry-After`.
 * Without one, discord.js would repeat the request immediately and without end, whatever its option `retries` is.
 */
export function hasRetryAfter({ retryAfter, timeToReset }: RetryTimes): boolean {
  return retryAfter > retryMarginMs && Math.max(retryAfter, timeToReset) <= maxRetryDelayMs;
}

/** How long to wait after a rate limit (ms): always finite, at most one day. */
export function retryDelayOf({ retryAfter, timeToReset }: RetryTimes): number {
  const delays = [retryAfter, timeToReset].filter((delay) => Number.isFinite(delay));
  const minDelay = hasRetryAfter({ retryAfter, timeToReset }) ? 0 : defaultRetryDelayMs;
  return Math.min(maxRetryDelayMs, Math.max(minDelay, ...delays));
}

/** The limit on all requests of the bot, which outlives the client that met it. Discord: "Global Rate Limit". */
export type GlobalRateLimit = ReturnType<typeof createGlobalRateLimit>;

export function createGlobalRateLimit(clock: Clock) {
  let endsAt = 0;
  return {
    /** Takes every rate limit that a client meets; ignores limits of a single route. */
    observe(limit: Pick<RateLimitData, 'global' | 'retryAfter' | 'timeToReset'>): void {
      if (limit.global) endsAt = Math.max(endsAt, clock.monotonic() + retryDelayOf(limit));
    },
    /** Time until requests are allowed again (ms); 0 without a limit. */
    remainingMs: () => Math.max(0, endsAt - clock.monotonic()),
  };
}

/**
 * Discord blocks an address after 10,000 responses with 401, 403 or 429 in ten minutes. Discord: "Invalid Request Limit".
 * All processes are counted together, although they may have several addresses.
 */
export const warningInvalidRequests = 5_000;
/** No request is sent that can wait, until there are fewer. */
export const maxInvalidRequests = 8_000;
export const windowMinutes = 10;
const invalidStatuses: readonly number[] = [401, 403, 429];
/** How often rejected requests are added to the count of all processes, and the count is read. */
const syncEveryMs = 5 * second;
/** How often the count is read while it is low. */
const idleSyncEveryMs = 30 * second;

/** The rejected requests of all processes, by minutes since the epoch. Rejects as the store does. */
export interface InvalidRequestStore {
  add(minute: number, count: number): Promise<void>;
  /** The sum of the counts from one minute to another, both included. */
  sum(from: number, until: number): Promise<number>;
}

/** The stored count of the last ten minutes. @param now ms since the epoch */
export function recentInvalidRequests(store: InvalidRequestStore, now: number): Promise<number> {
  const current = Math.floor(now / minute);
  // The clocks of other processes may be ahead.
  return store.sum(current - windowMinutes, current + windowMinutes);
}

/** Counts requests that Discord rejected. */
export interface InvalidRequests {
  /** The number within the last ten minutes, of all processes. */
  recent(): number;
  /** Time after which a request that can wait may be sent (ms); 0 if now. */
  pauseMs(): number;
  /** Observes each response of a REST client. To be passed to it as its option. */
  readonly makeRequest: RESTOptions['makeRequest'];
  start(): void;
  /** Stores what was counted. Never rejects. */
  stop(): Promise<void>;
}

export function createInvalidRequests(options: {
  readonly store: InvalidRequestStore;
  readonly clock: Clock;
  readonly log: Log;
}): InvalidRequests {
  const { store, clock, log } = options;
  const stopping = new AbortController();
  const logThrottled = createThrottledLog({
    log,
    clock,
    intervalMs: minute,
    maxMessages: 1,
    flushUntil: stopping.signal,
  });
  /** Not stored yet. */
  let pending = 0;
  let stored = 0;

  const recent = () => stored + pending;

  let nextReadAt = Number.NEGATIVE_INFINITY;

  async function syncIfNeeded(): Promise<void> {
    if (pending === 0 && recent() === 0 && clock.monotonic() < nextReadAt) return;
    nextReadAt = clock.monotonic() + idleSyncEveryMs;
    await sync();
  }

  async function sync(): Promise<void> {
    const now = Math.floor(clock.now() / minute);
    const added = pending;
    if (added > 0) await store.add(now, added);
    pending -= added;
    stored = await recentInvalidRequests(store, clock.now());
    if (recent() >= warningInvalidRequests) {
      const isPaused = recent() >= maxInvalidRequests;
      logThrottled(
        isPaused ? 'error' : 'warn',
        'invalid requests',
        isPaused
          ? 'Discord rejected too many requests; only interactions are answered until there are fewer'
          : 'Discord rejects many requests; it blocks an address at 10,000 in ten minutes',
        { inTenMinutes: recent() },
      );
    }
  }

  const loop = createLoop({
    round: syncIfNeeded,
    pauseMs: syncEveryMs,
    onError: (error) =>
      logThrottled('warn', 'sync', 'rejected requests could not be counted', { reason: messageOf(error) }),
    clock,
  });

  const makeRequest: RESTOptions['makeRequest'] = async (url, init) => {
    const response = await DefaultRestOptions.makeRequest(url, init);
    // Limits that bots share with others are not counted.
    const isShared = response.headers.get('x-ratelimit-scope') === 'shared';
    if (invalidStatuses.includes(response.status) && !isShared) pending += 1;
    return response;
  };

  return {
    recent,
    pauseMs: () => (recent() < maxInvalidRequests ? 0 : syncEveryMs),
    makeRequest,
    start: loop.start,
    async stop() {
      stopping.abort();
      await loop.stop();
      if (pending > 0) await sync().catch(() => {});
    },
  };
}

/** A request was not sent, because Discord rejected too many. */
export class RequestsPausedError extends Error {
  readonly retryAfterMs: number;
  /** The guild whose requests were rejected, which are paused; null if all are. */
  readonly guildId: string | null;

  constructor(retryAfterMs: number, guildId: string | null = null) {
    const scope = guildId === null ? '' : ' for this server';
    super(`Discord rejected too many requests${scope}; none is sent that can wait`);
    this.name = 'RequestsPausedError';
    this.retryAfterMs = retryAfterMs;
    this.guildId = guildId;
  }
}
