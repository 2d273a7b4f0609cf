import { TallyhookError } from '../errors.ts';

/** The database was written by a newer version of tallyhook, with which this one cannot share it. */
export class DatabaseTooNewError extends TallyhookError {
  constructor(unknown: readonly string[]) {
    super(
      'database_too_new',
      `The database was written by a newer tallyhook: it has the unknown migrations ${unknown.join(', ')}.`,
      {
        hint: 'Start the newer version again, or restore the backup from before the upgrade.',
      },
    );
  }
}
