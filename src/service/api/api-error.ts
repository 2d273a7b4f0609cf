import { StoreUnavailableError } from '../../platform/errors.ts';

/** An answer of the API that is no success: its status and the message of the failure envelope (document, section 7). */
export class ApiError extends Error {
  readonly status: 400 | 401 | 404 | 405 | 429 | 503;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: ApiError['status'], message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Seconds after which a caller may try again when nothing could be stored. */
export const retryAfterUnavailable = 5;

/** What a failure means for the caller, where it is one that it can do something about; anything else as it is. */
export function refusalOf(thrown: unknown): unknown {
  if (thrown instanceof URIError) return new ApiError(400, 'The path is not properly encoded.');
  if (thrown instanceof StoreUnavailableError) {
    return new ApiError(503, `${thrown.message} Try again in ${retryAfterUnavailable} seconds.`, {
      'Retry-After': String(retryAfterUnavailable),
    });
  }
  return thrown;
}
