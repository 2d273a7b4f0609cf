import { formatCount, second } from '../../platform/durations.ts';
import { requestLimit, requestWindow } from '../listing/request-limit.ts';
import type { Database } from '../storage/database.ts';
import { countedRequests, countRequest } from '../storage/requests.ts';
import { ApiError } from './api-error.ts';

/**
 * Counts a request against its key. No 60 seconds, wherever they begin, hold more than 120 answered requests; what was refused
 * does not count, so a client that waits as told gets on.
 * @returns the headers that say how much is left.
 * @throws Refusal 429, with `Retry-After`
 */
export async function countAgainstLimit(
  database: Database,
  keyId: number,
  now: number,
): Promise<Readonly<Record<string, string>>> {
  const request = { keyId, now, limit: requestLimit, window: requestWindow };
  const allowed = await countRequest(database, request);
  const { count, oldestAt } = await countedRequests(database, keyId, now - requestWindow);
  const seconds = Math.max(1, Math.ceil(((oldestAt ?? now) + requestWindow - now) / second));
  const headers = {
    'RateLimit-Policy': `"key";q=${requestLimit};w=${requestWindow / second}`,
    RateLimit: `"key";r=${Math.max(0, requestLimit - count)};t=${seconds}`,
  };
  if (allowed) return headers;
  throw new ApiError(
    429,
    `More than ${requestLimit} requests in a minute. Try again in ${formatCount(seconds, 'second')}.`,
    {
      ...headers,
      'Retry-After': String(seconds),
    },
  );
}
