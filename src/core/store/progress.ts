import { lock } from './lock.ts';
import { run, upsert } from './query-builder.ts';
import type { Sql } from './sql-module.ts';

/*
 * How far something periodic has come, by a key that begins with what it is. A row that only its task changes says what
 * was done before: so nothing is done twice, in whatever process.
 */

/** Null before the first time. */
export async function progressOf({ db, connection }: Sql, key: string): Promise<number | null> {
  const progress = db.selectFrom('announcement_progress').select('until_at').where('key', '=', key);
  return (await run(connection, progress))[0]?.until_at ?? null;
}

export function setProgress(sql: Sql, key: string, until_at: number): Promise<void> {
  return upsert(sql, 'announcement_progress', { key }, { until_at });
}

/** Forgets what was done. */
export async function deleteProgress({ db, connection }: Sql, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await run(connection, db.deleteFrom('announcement_progress').where('key', 'in', keys));
}

/** Advances from what the caller has read. False if another process was faster. */
export async function advance(sql: Sql, key: string, from: number | null, until: number): Promise<boolean> {
  await lock(sql.connection, sql.db, key);
  if ((await progressOf(sql, key)) !== from) return false;
  await setProgress(sql, key, until);
  return true;
}
