import { setTimeout as wait } from 'node:timers/promises';
import { second } from '@tallyhook/platform/durations';
import { sql as expression } from 'kysely';
import type { Database, Sql } from '../database.ts';
import { revokeAllKeys } from './keys.ts';

/** Rows per transaction; they are fewer if a transaction takes long, because other writers wait for it. */
const chunkSizes = { first: 100, min: 20, max: 1_000 };
/** How long a transaction may take (ms): SQLite blocks this process meanwhile. */
const maxTransactionMs = 25;
/** How long a call deletes (ms). The rest is deleted by the next. */
const maxCallMs = 20 * second;
/** Between two transactions (ms), so that other processes get the lock of SQLite. */
const restMs = 2;

/** The tables with many rows of a listing, and the column by which an index sorts them. */
const longTables = { votes: 'voted_at', deliveries: 'created_at', reviews: 'created_at', purchases: null } as const;
type LongTable = keyof typeof longTables;

/**
 * Makes a listing invisible at once: its keys are revoked, its webhooks removed, and {@link deleteListingRows} deletes
 * the rest. False if it does not exist or is being deleted.
 * @param now ms since the epoch
 */
export async function startListingDeletion(database: Database, listingId: string, now: number): Promise<boolean> {
  return database.transaction().execute(async (sql) => {
    const { numUpdatedRows } = await sql
      .updateTable('listings')
      .set({ state: 'deleting' })
      .where('id', '=', listingId)
      .where('state', '!=', 'deleting')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await revokeAllKeys(sql, listingId, now);
    await sql.deleteFrom('webhooks').where('listing_id', '=', listingId).execute();
    return true;
  });
}

/** Deletes the rows of listings that their owners deleted, in small transactions. */
export async function deleteListingRows(database: Database): Promise<void> {
  const listings = await database
    .selectFrom('listings')
    .select('id')
    .where('state', '!=', expression.lit('published'))
    .where('state', '=', 'deleting')
    .execute();
  const startedAt = performance.now();
  let size = chunkSizes.first;
  for (const { id } of listings) {
    for (const table of Object.keys(longTables) as LongTable[]) {
      for (let hasMore = true; hasMore; ) {
        const at = performance.now();
        const chunk = size;
        const deleted = await database.transaction().execute(async (sql) => {
          return (await isFree(sql, id)) ? deleteChunk(sql, table, id, chunk) : 0;
        });
        hasMore = deleted === chunk;
        const tookMs = performance.now() - at;
        if (tookMs > maxTransactionMs) size = Math.max(chunkSizes.min, Math.floor(size / 2));
        else if (tookMs < maxTransactionMs / 3) size = Math.min(chunkSizes.max, size * 2);
        if (hasMore && performance.now() - startedAt > maxCallMs) return;
        await wait(restMs);
      }
    }
    await database.transaction().execute((sql) => deleteRest(sql, id));
  }
}

/**
 * Deletes a bot's listing that no operator has published, if it is in one of these states, so that another member can use
 * its id; false if there is no such listing. Nobody could vote for it, so it has few rows.
 */
export async function deleteUnpublishedBot(
  sql: Sql,
  listingId: string,
  states: readonly ('pending' | 'hidden')[],
): Promise<boolean> {
  const found = await sql
    .updateTable('listings')
    .set({ state: 'deleting' })
    .where('id', '=', listingId)
    .where('kind', '=', 'bot')
    .where('state', 'in', states)
    .where(({ not, exists, selectFrom }) => {
      const ofTable = (table: 'votes' | 'purchases' | 'moderation_log') =>
        selectFrom(table).select('listing_id').where('listing_id', '=', listingId);
      const published = ofTable('moderation_log').where('action', '=', 'publish-listing');
      return not(exists(ofTable('votes')))
        .and(not(exists(ofTable('purchases'))))
        .and(not(exists(published)));
    })
    .returning('id')
    .executeTakeFirst();
  if (found === undefined) return false;
  const deliveries = sql.selectFrom('deliveries').select('id').where('listing_id', '=', listingId);
  await sql.deleteFrom('attempts').where('delivery_id', 'in', deliveries).execute();
  await sql.deleteFrom('deliveries').where('listing_id', '=', listingId).execute();
  await deleteRest(sql, listingId);
  return true;
}

/** True if no other process deletes rows of this listing. Locks it against them, but not against votes. */
async function isFree(sql: Sql, listingId: string): Promise<boolean> {
  const listing = await sql
    .selectFrom('listings')
    .select('id')
    .where('id', '=', listingId)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst();
  return listing !== undefined;
}

/** Deletes some rows of a listing; those of deliveries with their attempts. */
async function deleteChunk(sql: Sql, table: LongTable, listingId: string, limit: number): Promise<number> {
  const key = expression.ref(table === 'purchases' ? 'order_id' : 'id');
  const inOrder = longTables[table] === null ? expression`` : expression`order by ${expression.ref(longTables[table])}`;
  const { rows } = await expression<{ key: number | string }>`
    select ${key} as key from ${expression.table(table)} where listing_id = ${listingId} ${inOrder} limit ${limit}`.execute(
    sql,
  );
  if (rows.length === 0) return 0;
  const keys = expression.join(rows.map((row) => row.key));
  if (table === 'deliveries') await expression`delete from attempts where delivery_id in (${keys})`.execute(sql);
  await expression`delete from ${expression.table(table)} where ${key} in (${keys})`.execute(sql);
  return rows.length;
}

/** Deletes nothing if something was stored meanwhile, such as a vote; the next call deletes it. */
async function deleteRest(sql: Sql, listingId: string): Promise<void> {
  // First, because a vote locks the listing before its counts. From here on, votes wait and then fail.
  await sql.selectFrom('listings').select('id').where('id', '=', listingId).forUpdate().execute();
  for (const table of Object.keys(longTables) as LongTable[]) {
    const row = await sql
      .selectFrom(table)
      .select('listing_id')
      .where('listing_id', '=', listingId)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return;
  }
  const keys = sql.selectFrom('keys').select('id').where('listing_id', '=', listingId);
  await sql.deleteFrom('key_usage').where('key_id', 'in', keys).execute();
  await sql.deleteFrom('keys').where('listing_id', '=', listingId).execute();
  const tables = [
    ...(['reports', 'vote_counts', 'review_counts', 'review_replies', 'listing_days'] as const),
    ...(['listing_icons', 'invite_checks', 'co_owners', 'webhooks'] as const),
  ];
  for (const table of tables) await sql.deleteFrom(table).where('listing_id', '=', listingId).execute();
  await sql.deleteFrom('listings').where('id', '=', listingId).execute();
}
