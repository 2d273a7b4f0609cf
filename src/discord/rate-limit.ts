import type { RateLimitData } from '@discordjs/rest';
import type { Clock } from '@tallyhook/platform/clock';
import { day, second } from '@tallyhook/platform/durations';

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
