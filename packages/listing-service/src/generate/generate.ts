import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ServiceListingKind } from '../listing/listing.ts';
import { bulkInsert } from '../storage/bulk-insert.ts';
import type { Database, Sql } from '../storage/database.ts';
import { newKey } from '../storage/listings/keys.ts';
import { insertListings } from '../storage/listings/listings.ts';
import { storeSetting } from '../storage/settings.ts';
import { generatedListing, memberRows, type Population, reviewRows, voteRows } from './rows.ts';

export interface GeneratedListing {
  readonly kind: ServiceListingKind;
  readonly id: string;
  readonly key: string;
}

export interface GenerateOptions {
  readonly population: Population;
  /** ms since the epoch: votes and reviews are before this. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Is called for each listing with its first key, as soon as they are stored. */
  readonly onListing: (listing: GeneratedListing) => void;
  /** Is called with the rows that are stored so far. */
  readonly onProgress: (rows: number, total: number) => void;
  /** Is called with the rows of an earlier run that was stopped, and that this one continues. */
  readonly onContinue?: (rows: number) => void;
}

/** A run that has not ended: its rows are the same if it is repeated from its beginning. */
const runSchema = z.object({
  population: z.object({ listings: z.number(), members: z.number(), votes: z.number(), reviews: z.number() }),
  now: z.number(),
  rows: z.number(),
});
const runSetting = 'generate';

/** Rows per transaction: progress is visible, and other processes get the lock in between. */
const rowsPerTransaction = 50_000;

/**
 * Fills the database with plausible data: few listings get most votes and reviews, a member votes for a listing at most
 * every twelve hours. Members are the same in each run, listings are new. The population must be {@link isPossible}. A run for
 * the same population that was stopped is continued.
 * @returns the number of rows, without those that existed
 */
export async function generate(database: Database, options: GenerateOptions): Promise<number> {
  const { population, signal, onListing, onProgress } = options;
  const stopped = await findStopped(database, population);
  const { now, rows: stored } = stopped ?? { now: options.now, rows: 0 };
  if (stored > 0) options.onContinue?.(stored);
  const { members, votes, reviews } = population;
  const total = population.listings * 2 + members + votes + reviews;
  const dialect = database.engine.name;
  let rows = 0;
  /** Each transaction says how far it has come, so that nothing is written twice. */
  const saveRun = (sql: Sql) => storeSetting(sql, runSetting, JSON.stringify({ population, now, rows }));

  /** Writes rows in transactions of a limited size, until there are no more or the signal aborts. */
  async function write(
    into: (sql: Sql) => ReturnType<typeof bulkInsert>,
    values: Iterator<readonly (string | number | null)[]>,
  ): Promise<void> {
    let next = values.next();
    for (; !next.done && rows < stored; next = values.next()) rows += 1;
    while (!next.done && !signal.aborted) {
      await database.transaction().execute(async (sql) => {
        const insert = into(sql);
        for (let count = 0; count < rowsPerTransaction && !next.done; count += 1) {
          const written = insert.add(...next.value);
          if (written !== null) await written;
          rows += 1;
          next = values.next();
        }
        await insert.flush();
        await saveRun(sql);
      });
      onProgress(rows, total);
    }
  }

  await write((sql) => bulkInsert(sql, dialect, 'members', ['user_id', 'username'], 'ignore'), memberRows(members));
  const listings = Array.from({ length: population.listings }, (_, index) => generatedListing(index, now, members));
  const batchSize = 1_000;
  for (let from = 0; from < listings.length && !signal.aborted; from += batchSize) {
    const batch = listings.slice(from, from + batchSize);
    rows += 2 * batch.length;
    if (rows <= stored) continue;
    const keys = batch.map((listing) => newKey(listing, 'Generated', now));
    await database.transaction().execute(async (sql) => {
      await insertListings(sql, batch);
      await sql
        .insertInto('keys')
        .values(keys.map(({ row }) => row))
        .execute();
      await saveRun(sql);
    });
    for (const [index, { kind, id }] of batch.entries()) onListing({ kind, id, key: keys[index]?.key ?? '' });
    onProgress(rows, total);
  }
  const voteColumns = ['listing_id', 'user_id', 'voted_at'];
  await write((sql) => bulkInsert(sql, dialect, 'votes', voteColumns), voteRows(listings, population, now));
  const reviewColumns = ['listing_id', 'user_id', 'username', 'rating', 'comment', 'created_at'];
  await write((sql) => bulkInsert(sql, dialect, 'reviews', reviewColumns), reviewRows(listings, population, now));
  if (!signal.aborted) await storeSetting(database, runSetting, null);
  return rows - stored;
}

async function findStopped(database: Database, population: Population): Promise<z.infer<typeof runSchema> | null> {
  const row = await database.selectFrom('settings').select('value').where('name', '=', runSetting).executeTakeFirst();
  const run = row === undefined ? null : runSchema.parse(JSON.parse(row.value));
  return isDeepStrictEqual(run?.population, population) ? run : null;
}
