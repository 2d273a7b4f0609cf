import { damagedDatabaseHint } from './damaged-database.ts';
import type { KnownErrorCode, TallyhookErrorCode } from './error-codes.ts';

/**
 * The base class of the errors that reach an operator or a caller of the package. Not used for HTTP responses (e.g.
 * rejected requests).
 * @category Errors
 */
export class TallyhookError extends Error {
  /** Stable, for programs. */
  readonly code: TallyhookErrorCode;
  /** How the operator can solve it. */
  readonly hint: string | undefined;

  constructor(code: KnownErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.code = code;
    this.hint = options.hint;
  }
}

/**
 * The store cannot commit at the moment (locked, full, read-only or gone). Nothing was stored; the sender should retry.
 * @category Errors
 */
export class StoreUnavailableError extends TallyhookError {
  /** @param hint by default that of the cause, or the usual one */
  constructor(cause: unknown, hint = cause instanceof TallyhookError ? cause.hint : damagedDatabaseHint(cause)) {
    super('store_unavailable', 'The database cannot commit at the moment.', {
      cause,
      hint: hint ?? 'Check that the disk has free space and that no other program holds a lock on the database.',
    });
  }
}

/** The codes of errors because of which nothing was stored, although it may be stored later. */
const notStoredCodes: readonly TallyhookErrorCode[] = ['store_unavailable', 'queue_full', 'database_file_replaced'];

/** True if the store could not write: nothing was changed, and trying again may help. */
export function isNotStored(error: unknown): error is TallyhookError {
  return error instanceof TallyhookError && notStoredCodes.includes(error.code);
}

/** The message of any thrown value, for a log line or a reason. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The code of an error of Node or of the operating system, such as `ENOENT`; undefined for any other value. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
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
