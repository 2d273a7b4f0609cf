import type { IncomingMessage } from 'node:http';
import { messageOf, StoreUnavailableError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';

/** An error response of the API: its status and the message in the failure envelope (document, section 7). */
export class ApiError extends Error {
  readonly status: 400 | 401 | 404 | 405 | 413 | 429 | 500 | 503;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: ApiError['status'], message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.headers = headers;
  }
}

/** `Retry-After` while the database is unavailable (seconds). */
export const retryAfterUnavailable = 5;

/** @throws ApiError 405 */
export function requireGet({ method }: Pick<IncomingMessage, 'method'>): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new ApiError(405, 'This API is read-only: use GET.', { Allow: 'GET, HEAD' });
}

/** @throws ApiError 405 */
export function requirePost({ method }: Pick<IncomingMessage, 'method'>): void {
  if (method !== 'POST') throw new ApiError(405, 'Use POST.', { Allow: 'POST' });
}

/** The response for any thrown value. Unexpected errors are logged in full, and the response does not describe them. */
export function toApiError(thrown: unknown, log: Log): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof StoreUnavailableError) {
    return new ApiError(503, `${thrown.message} Try again in ${retryAfterUnavailable} seconds.`, {
      'Retry-After': String(retryAfterUnavailable),
    });
  }
  log.error({ error: messageOf(thrown), stack: thrown instanceof Error ? thrown.stack : undefined }, 'request failed');
  return new ApiError(500, 'Unexpected error. Please try again later.');
}
