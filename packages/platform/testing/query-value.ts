import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

/** Returns the first column of the first row; undefined if there are no rows. */
export function queryValue(database: DatabaseSync, query: string): SQLOutputValue | undefined {
  return Object.values(database.prepare(query).get() ?? {})[0];
}
