import { messageOf, TallyhookError } from '../platform/errors.ts';

/** The database cannot be opened: unreachable server, no permission, or not a database file. */
export class CannotOpenDatabaseError extends TallyhookError {
  constructor(cause: unknown) {
    super('cannot_open_database', `The database cannot be opened: ${messageOf(cause) || String(cause)}.`, {
      cause,
      hint: 'Check DATABASE_URL: the folder must be writable, or the server must run and accept the user and password.',
    });
  }
}
