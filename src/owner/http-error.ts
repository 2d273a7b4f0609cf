/** What the owner asked for and cannot have, with a sentence that says why. */
export class HttpError extends Error {
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429;
  /** When it is worth trying again, for 429 (s). */
  readonly retryAfter: number | null;

  constructor(status: HttpError['status'], message: string, retryAfter: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** A correction takes no more than there is. @param balance credits */
export function overdraftError(balance: number): HttpError {
  return new HttpError(
    409,
    `The account has ${balance.toLocaleString('en')} credits, and a correction takes no more than there is.`,
  );
}

/** Every failure as the owner is told of it; null for one that nobody foresaw. */
export function toHttpError(thrown: unknown): HttpError | null {
  if (thrown instanceof HttpError) return thrown;
  if (thrown instanceof URIError) return new HttpError(400, 'The path cannot be decoded.');
  // What the body's reader refuses: too large, no JSON, another encoding or character set.
  const status = thrown instanceof Error && 'status' in thrown ? thrown.status : null;
  if (status === 413) return new HttpError(413, 'The body is too large.');
  if (status === 415) return new HttpError(415, 'Send the body uncompressed and in UTF-8.');
  return typeof status === 'number' && status < 500 ? new HttpError(400, 'The body cannot be read.') : null;
}
