import type { ErrorRequestHandler, Request, Response } from 'express';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';

/** A rejected request: the status and a sentence for the client that gives the reason. */
export class HttpError extends Error {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503;
  /** The `Retry-After` header (s); null for none. */
  readonly retryAfterSeconds: number | null;
  /** Distinguishes errors of one status for programs; null for none. */
  readonly code: string | null;

  constructor(
    status: HttpError['status'],
    message: string,
    retryAfterSeconds: number | null = null,
    code: string | null = null,
  ) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.code = code;
  }
}

/**
 * The response to an error of the application, of Express's router or of its body parsers; null for an unexpected
 * error.
 */
export function toHttpError(thrown: unknown): HttpError | null {
  if (thrown instanceof HttpError) return thrown;
  if (thrown instanceof URIError) return new HttpError(400, 'The path cannot be decoded.');
  // Body parsers: https://expressjs.com/en/resources/middleware/body-parser.html#errors
  const status = thrown instanceof Error && 'status' in thrown ? thrown.status : null;
  if (status === 413) return new HttpError(413, 'The body is too large.');
  if (status === 415) return new HttpError(415, 'Send the body uncompressed and in UTF-8.');
  return typeof status === 'number' && status < 500 ? new HttpError(400, 'The body cannot be read.') : null;
}

/** True if the program is wrong, and not something that it depends on: `fetch` rejects with a TypeError that has a cause. */
function isFaultOfProgram(thrown: unknown): boolean {
  const types = [TypeError, RangeError, ReferenceError, SyntaxError];
  return types.some((type) => thrown instanceof type && thrown.cause === undefined);
}

const faultOfProgram = new HttpError(500, 'This failed because of an error in the program. See the log.');

export interface ErrorResponseOptions {
  /** Defaults to {@link toHttpError}. */
  readonly toHttpError?: (thrown: unknown) => HttpError | null;
  /** The response to an unexpected error, such as of the database. A 503 is not sent for an error in the program. */
  readonly unexpected: HttpError;
  readonly log: Log;
  /** The message under which an unexpected error is logged. */
  readonly logMessage: string;
  /**
   * Sends the body; status and `Retry-After` are already set.
   * @param isExpected whether `error` was thrown on purpose
   */
  readonly send: (error: HttpError, request: Request, response: Response, isExpected: boolean) => void | Promise<void>;
}

/** The error middleware. Unexpected errors are logged in full, and their details are not sent to the client. */
export function handleErrors(options: ErrorResponseOptions): ErrorRequestHandler {
  const { unexpected, log, logMessage, send } = options;
  return async (thrown: unknown, request, response, _next) => {
    const httpError = (options.toHttpError ?? toHttpError)(thrown);
    if (httpError === null) log.error({ error: messageOf(thrown) }, logMessage);
    if (response.headersSent) {
      // A part of the response was sent: only a broken connection tells the client that the rest is missing.
      response.destroy();
      return;
    }
    const error = httpError ?? (unexpected.status === 503 && isFaultOfProgram(thrown) ? faultOfProgram : unexpected);
    // A route may have set those of its own response already; an error may contain what only this visitor may see.
    response.set('cache-control', 'no-store').removeHeader('etag');
    if (error.retryAfterSeconds !== null) response.set('retry-after', String(error.retryAfterSeconds));
    response.status(error.status);
    await send(error, request, response, httpError !== null);
  };
}
