import { sql as expression } from 'kysely';
import { second } from '../../platform/durations.ts';
import type { Sql } from './database.ts';

/**
 * Maximum clock difference between processes on one machine (ms). A request with a later timestamp was recorded before
 * the clock was set back.
 */
const maxSkewMs = 1 * second;

/**
 * Records one request of a key if fewer than `limit` were recorded in the window that ends now. Check and insert are
 * one statement, so the limit is exact across connections, processes and restarts. Requests with a timestamp in the
 * future are set to now, so that a key waits for one window at most after the clock was set back.
 */
export async function recordRequest(
  sql: Sql,
  request: { keyId: number; now: number; limit: number; windowMs: number },
): Promise<boolean> {
  const { keyId, now, limit, windowMs } = request;
  const futureRequests = sql.updateTable('requests').set({ at: now }).where('key_id', '=', keyId);
  await futureRequests.where('at', '>', now + maxSkewMs).execute();
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
            .where('at', '>', now - windowMs),
        '<',
        limit,
      ),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/**
 * The recorded requests of a key after `since`: their number, and the time of the oldest (ms since the epoch, null if
 * none).
 */
export async function requestUsage(
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

/** Deletes the requests up to a time (ms since the epoch). */
export async function deleteOldRequests(sql: Sql, until: number): Promise<void> {
  await sql.deleteFrom('requests').where('at', '<=', until).execute();
}
