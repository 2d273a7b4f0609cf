import type { RateLimitData } from 'discord.js';
import { day, second } from '../platform/durations.ts';

/** What discord.js adds to every wait (ms). A wait that is no longer came from a `Retry-After` of 0, or from none. */
export const retryMarginMs = 50;
/** How long to wait where it was not said, or not in a number, as by a proxy in between (ms). */
const unsaid = 5 * second;
/** More is a mistake of whoever says so, and a timer of more than 24 days would ring at once. */
const longest = 1 * day;

type Limit = Pick<RateLimitData, 'retryAfter' | 'timeToReset'>;

/**
 * Whether a rate limit says how long to wait: until the bucket is full again or, for a request that was refused, as `Retry-After`. Where
 * it does not, discord.js would repeat the request at once and without end, whatever its `retries`.
 */
export function hasRetryAfter({ retryAfter, timeToReset }: Limit): boolean {
  return retryAfter > retryMarginMs && Math.max(retryAfter, timeToReset) <= longest;
}

/** How long to wait after a rate limit (ms): always a moment that there will be. */
export function retryDelayOf({ retryAfter, timeToReset }: Limit): number {
  const waits = [retryAfter, timeToReset].filter((wait) => Number.isFinite(wait));
  return Math.min(longest, Math.max(hasRetryAfter({ retryAfter, timeToReset }) ? 0 : unsaid, ...waits));
}
