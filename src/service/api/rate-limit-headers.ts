import { formatCount, second } from '../../platform/durations.ts';
import { type CountedRequest, maxRequests, rateLimitWindowMs } from '../rate-limit/rate-limiter.ts';
import { ApiError } from './api-error.ts';

const policy = `"key";q=${maxRequests};w=${rateLimitWindowMs / second}`;

/**
 * The headers with the remaining quota, names and values in turn. Rejected requests are not counted, so a client that waits for `Retry-After` is
 * accepted.
 * @throws ApiError 429 for a rejected request, with `Retry-After`
 */
export function rateLimitHeaders({ isAllowed, remaining, resetMs }: CountedRequest): readonly string[] {
  const seconds = Math.max(1, Math.ceil(resetMs / second));
  const limit = `"key";r=${remaining};t=${seconds}`;
  if (isAllowed) return ['RateLimit-Policy', policy, 'RateLimit', limit];
  throw new ApiError(
    429,
    `More than ${maxRequests} requests in a minute. Try again in ${formatCount(seconds, 'second')}.`,
    { 'RateLimit-Policy': policy, RateLimit: limit, 'Retry-After': String(seconds) },
  );
}
