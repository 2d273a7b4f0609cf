import type { ErrorRequestHandler, Request } from 'express';
import { messageOf, StoreUnavailableError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';

/** An error response of the API: its status and the message in the failure envelope (document, section 7). */
export class ApiError extends Error {
  readonly status: 400 | 401 | 404 | 405 | 429 | 503;
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
export function requireGet(request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  throw new ApiError(405, 'This API is read-only: use GET.', { Allow: 'GET, HEAD' });
}

/**
 * Sends every error in the failure envelope. Unexpected errors are logged in full, and the response does not describe
 * them.
 */
export function handleApiErrors(log: Log): ErrorRequestHandler {
  return (thrown: unknown, _request, response, _next) => {
    const apiError = toApiError(thrown);
    if (apiError !== null) {
      response.status(apiError.status).set(apiError.headers).json({ success: false, error: apiError.message });
      return;
    }
    log.error(
      { error: messageOf(thrown), stack: thrown instanceof Error ? thrown.stack : undefined },
      'request failed',
    );
    response.status(500).json({ success: false, error: 'Unexpected error. Please try again later.' });
  };
}

/** The response for an error that the client can act on; null for an unexpected error. */
function toApiError(thrown: unknown): ApiError | null {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof URIError) return new ApiError(400, 'The percent-encoding of the path is invalid.');
  if (thrown instanceof StoreUnavailableError) {
    return new ApiError(503, `${thrown.message} Try again in ${retryAfterUnavailable} seconds.`, {
      'Retry-After': String(retryAfterUnavailable),
    });
  }
  return null;
}
