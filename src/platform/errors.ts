/**
 * The root of the errors that reach an owner or whoever calls the package. What only becomes an answer, such as a refused request, is none
 * of them, nor is `FaultyConfig`, which tells many faults at once.
 * `code` is stable and made for programs, the message says what happened, `cure` tells the owner what to do about it.
 */
export class TallyhookError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.code = code;
    this.hint = options.hint;
  }
}

/** The store cannot commit just now (locked, full, read-only or gone). Nothing was kept; sending again is right. */
export class StoreUnavailableError extends TallyhookError {
  constructor(cause: unknown) {
    super('store_unavailable', 'The database cannot commit at the moment.', {
      cause,
      hint: 'Check that the disk has room and that no other program holds a lock on the database.',
    });
  }
}

/** The text of anything that was thrown, for a log line or a reason. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * The innermost cause of a failed network request, in a few words: its code, such as `ECONNREFUSED`, or its message. The message of the
 * outer error often says only "fetch failed".
 */
export function rootCauseOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.name === 'TimeoutError' || thrown.name === 'AbortError') return 'no response in time';
  if (thrown.cause !== undefined) return rootCauseOf(thrown.cause);
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : messageOf(thrown);
}
