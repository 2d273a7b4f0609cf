import type { ServiceListingKind } from '../listing/listing.ts';
import { type BulkInsert, bulkInsert } from '../storage/bulk-insert.ts';
import type { Database, Sql } from '../storage/database.ts';
import { insertKeys, newKey } from '../storage/listings/keys.ts';
import { insertListings } from '../storage/listings/listings.ts';
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
}

/** Rows per transaction: progress is visible, and other processes get the lock in between. */
const rowsPerTransaction = 50_000;

/**
 * Fills the database with plausible data: few listings get most votes and reviews, a member votes for a listing at most
 * every twelve hours. Members are the same in each run, listings are new. The population must be {@link isPossible}.
 * @returns the number of rows, without those that existed
 */
export async function generate(database: Database, options: GenerateOptions): Promise<number> {
  const { population, now, signal, onListing, onProgress } = options;
  const { members, votes, reviews } = population;
  const total = population.listings * 2 + members + votes + reviews;
  const dialect = database.engine.name;
  let rows = 0;

  /** Writes rows in transactions of a limited size, until there are no more or the signal aborts. */
  async function write(
    into: (sql: Sql) => BulkInsert,
    values: Iterator<readonly (string | number | null)[]>,
  ): Promise<void> {
    for (let next = values.next(); !next.done && !signal.aborted; ) {
      await database.transaction().execute(async (sql) => {
        const insert = into(sql);
        for (let count = 0; count < rowsPerTransaction && !next.done; count += 1) {
          const written = insert.add(...next.value);
          if (written !== null) await written;
          rows += 1;
          next = values.next();
        }
        await insert.flush();
      });
      onProgress(rows, total);
    }
  }

  await write((sql) => bulkInsert(sql, dialect, 'members', ['user_id', 'username'], 'ignore'), memberRows(members));
  const listings = Array.from({ length: population.listings }, (_, index) => generatedListing(index, now, members));
  const batchSize = 1_000;
  for (let from = 0; from < listings.length && !signal.aborted; from += batchSize) {
    const batch = listings.slice(from, from + batchSize);
    const keys = batch.map((listing) => newKey(listing, 'Generated', now));
    await database.transaction().execute(async (sql) => {
      await insertListings(sql, batch);
      await insertKeys(
        sql,
        keys.map(({ stored }) => stored),
      );
    });
    rows += 2 * batch.length;
    for (const [index, { kind, id }] of batch.entries()) onListing({ kind, id, key: keys[index]?.key ?? '' });
    onProgress(rows, total);
  }
  const voteColumns = ['listing_id', 'user_id', 'voted_at'];
  await write((sql) => bulkInsert(sql, dialect, 'votes', voteColumns), voteRows(listings, population, now));
  const reviewColumns = ['listing_id', 'user_id', 'username', 'rating', 'comment', 'created_at'];
  await write((sql) => bulkInsert(sql, dialect, 'reviews', reviewColumns), reviewRows(listings, population, now));
  return rows;
}
