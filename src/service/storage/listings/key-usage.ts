import type { Sql } from '../database.ts';

/** Stores when keys were last used (ms since the epoch), unless a later use is stored. */
export async function saveKeyUsage(sql: Sql, lastUsed: ReadonlyMap<number, number>): Promise<void> {
  // In the order of the keys, so that two processes cannot lock each other.
  const rows = [...lastUsed]
    .map(([key_id, last_used_at]) => ({ key_id, last_used_at }))
    .sort((one, other) => one.key_id - other.key_id);
  const batchSize = 500;
  for (let start = 0; start < rows.length; start += batchSize) {
    await sql
      .insertInto('key_usage')
      .values(rows.slice(start, start + batchSize))
      .onConflict((conflict) =>
        conflict
          .column('key_id')
          .doUpdateSet((excluded) => ({ last_used_at: excluded.ref('excluded.last_used_at') }))
          .whereRef('key_usage.last_used_at', '<', 'excluded.last_used_at'),
      )
      .execute();
  }
}
