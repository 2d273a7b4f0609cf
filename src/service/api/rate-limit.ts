import { formatCount, minute, second } from '../../platform/durations.ts';
import type { Database } from '../storage/database.ts';
import { recordRequest, requestUsage } from '../storage/requests.ts';
import { ApiError } from './api-error.ts';

/** Requests that a key may make in each window (document, section 8). */
const maxRequests = 120;
/** Length of the sliding window (ms). */
export const rateLimitWindowMs = 1 * minute;

/**
 * Records a request of a key. No 60 seconds, wherever they begin, contain more than 120 accepted requests. Rejected
 * requests are not counted, so a client that waits for `Retry-After` is accepted.
 * @returns the headers with the remaining quota.
 * @throws ApiError 429, with `Retry-After`
 */
export async function enforceRateLimit(
  database: Database,
  keyId: number,
  now: number,
): Promise<Readonly<Record<string, string>>> {
  const isAllowed = await recordRequest(database, { keyId, now, limit: maxRequests, windowMs: rateLimitWindowMs });
  const { count, oldestAt } = await requestUsage(database, keyId, now - rateLimitWindowMs);
  const seconds = Math.max(1, Math.ceil(((oldestAt ?? now) + rateLimitWindowMs - now) / second));
  const headers = {
    'RateLimit-Policy': `"key";q=${maxRequests};w=${rateLimitWindowMs / second}`,
    RateLimit: `"key";r=${Math.max(0, maxRequests - count)};t=${seconds}`,
  };
  if (isAllowed) return headers;
  throw new ApiError(
    429,
    `More than ${maxRequests} requests in a minute. Try again in ${formatCount(seconds, 'second')}.`,
    { ...headers, 'Retry-After': String(seconds) },
  );
}
