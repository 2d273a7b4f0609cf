import { TallyhookError } from '../errors.ts';

/** The problem and the hint of a database that a development version has written before 0.1.0. */
export const unreleasedDatabase = {
  problem:
    'The database was written by a development version of tallyhook from before 0.1.0, which no release can read.',
  hint: 'Nothing in it was changed. Move it away, or choose another one: the next start creates a new database.',
} as const;

/** The database is of a state of the schema that was never released. */
export class DatabaseUnreleasedError extends TallyhookError {
  constructor() {
    super('database_unreleased', unreleasedDatabase.problem, { hint: unreleasedDatabase.hint });
  }
}
