import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

/** What the query answers, where that is one value. */
export function queryValue(database: DatabaseSync, query: string): SQLOutputValue | undefined {
  return Object.values(database.prepare(query).get() ?? {})[0];
}
