import { TallyhookError } from '../errors.ts';

/** The database was written by a newer version of tallyhook, with which this one cannot share it. */
export class DatabaseTooNewError extends TallyhookError {
  constructor(unknown: readonly string[]) {
    const names = unknown.join(', ');
    super(
      'database_too_new',
      `The database was written by a newer tallyhook: it has the unknown migrations ${names}.`,
      {
        hint: 'Start the newer version again, or restore the backup from before the upgrade.',
      },
    );
  }
}
