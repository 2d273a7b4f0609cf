import { sql as expression } from 'kysely';
import { second } from '../../platform/durations.ts';
import type { Sql } from './database.ts';

/** A request further ahead (ms) was counted before the clock was set back: processes on one machine differ by less. */
const maxSkew = 1 * second;

/**
 * Counts one request of a key, if fewer than `limit` were counted in the `window` (ms) that ends now. One statement decides
 * and writes, so it is exact over any number of connections and processes, and a restart forgets nothing. Requests that lie ahead are
 * counted as of now, so that after the clock was set back a key waits for a window at most.
 */
export async function countRequest(
  sql: Sql,
  request: { keyId: number; now: number; limit: number; window: number },
): Promise<boolean> {
  const { keyId, now, limit, window } = request;
  const ahead = sql.updateTable('requests').set({ at: now }).where('key_id', '=', keyId);
  await ahead.where('at', '>', now + maxSkew).execute();
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('requests')
    .columns(['key_id', 'at'])
    .expression(
      sql.selectNoFrom([expression<number>`${keyId}`.as('key_id'), expression<number>`${now}`.as('at')]).where(
        (where) =>
          where
            .selectFrom('requests')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .where('key_id', '=', keyId)
            .where('at', '>', now - window),
        '<',
        limit,
      ),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** The counted requests of a key inside the window: how many, and when the oldest was (ms since the epoch, null if none). */
export async function countedRequests(
  sql: Sql,
  keyId: number,
  since: number,
): Promise<{ count: number; oldestAt: number | null }> {
  const row = await sql
    .selectFrom('requests')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<number | null>('at').as('oldestAt')])
    .where('key_id', '=', keyId)
    .where('at', '>', since)
    .executeTakeFirstOrThrow();
  return { count: row.count, oldestAt: row.oldestAt };
}

/** Forgets the requests that no window holds any more: those until a moment (ms since the epoch). */
export async function deleteOldRequests(sql: Sql, until: number): Promise<void> {
  await sql.deleteFrom('requests').where('at', '<=', until).execute();
}
