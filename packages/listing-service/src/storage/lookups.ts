import type { Listing } from '../listing/listing.ts';
import type { Database } from './database.ts';
import { listingOfRow } from './listings/listings.ts';
import { type ReviewOrder, reviewsInOrder, type StoredReview } from './reviews.ts';
import type { Row } from './tables.ts';
import { lastVoteQuery, monthNumber, voteCountQuery } from './votes.ts';

export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Maps a value or a promise. A value needs no promise: a turn of the microtask queue costs as much as a small
 * statement.
 */
export function mapped<Value, Result>(
  value: MaybePromise<Value>,
  change: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? (async () => change(await value))() : change(value);
}

/** The queries of the API for each request: statements that are compiled once. */
export type Lookups = ReturnType<typeof createLookups>;

/** Listings that are remembered in parsed form. */
const maxListings = 10_000;

export function createLookups(database: Database) {
  const callerQuery = database
    .selectFrom('keys')
    .innerJoin('listings', 'listings.id', 'keys.listing_id')
    .selectAll('listings')
    .select('keys.id as key_id')
    .where('keys.hash', '=', '')
    .where('keys.revoked_at', 'is', null)
    .compile();
  const votesQuery = voteCountQuery(database, 0, '').compile();
  const voteQuery = lastVoteQuery(database, '', '').compile();
  const reviews = createReviewLookup(database);
  const parseListing = createListingParser();

  return {
    /** The key with this digest, unless it was revoked, and its listing. */
    caller: (hash: string) =>
      mapped(database.read(callerQuery, [hash]), ([row]) =>
        row === undefined ? null : { keyId: row.key_id, listing: parseListing(row) },
      ),
    /** Votes for a listing in total, and in the calendar month of `now` (ms since the epoch) or later. */
    votes: (listingId: string, now: number) =>
      mapped(database.read(votesQuery, [monthNumber(now), listingId]), ([row]) => ({
        total: row?.total ?? 0,
        month: row?.month ?? 0,
      })),
    /** The time of the user's last vote for this listing (ms since the epoch), or null. */
    lastVoteAt: (listingId: string, userId: string) =>
      mapped(database.read(voteQuery, [listingId, userId]), ([row]) => row?.at ?? null),
    /** The first `limit` reviews in this order, and their number. Reviews with equal ratings are sorted newest first. */
    reviews,
  };
}

/** Parsing a row takes longer than reading it, and it rarely changes. */
function createListingParser(): (row: Row<'listings'>) => Listing {
  const known = new Map<string, { readonly row: Row<'listings'>; readonly listing: Listing }>();
  return (row) => {
    const last = known.get(row.id);
    if (last !== undefined && isSame(last.row, row)) return last.listing;
    const listing = listingOfRow(row);
    if (known.size >= maxListings) known.clear();
    known.set(row.id, { row, listing });
    return listing;
  };
}

function isSame(one: Row<'listings'>, other: Row<'listings'>): boolean {
  return (
    one.name === other.name &&
    one.facts_json === other.facts_json &&
    one.description === other.description &&
    one.tags_json === other.tags_json &&
    one.owner_id === other.owner_id &&
    one.created_at === other.created_at
  );
}

export interface ReviewPage {
  readonly total: number;
  /** `createdAt` is ISO 8601 with milliseconds. */
  readonly reviews: readonly (Omit<StoredReview, 'createdAt'> & { readonly createdAt: string })[];
}

/** Pages that are remembered, 10 to 50 reviews each. */
const maxPages = 2_000;

/**
 * Reads pages of reviews with statements that are compiled once. A page is remembered together with the version of the
 * listing's reviews, which is read for each lookup: reading and formatting ten reviews takes longer than anything else.
 */
function createReviewLookup(
  database: Database,
): (listing: Pick<Listing, 'id' | 'createdAt'>, order: ReviewOrder, limit: number) => MaybePromise<ReviewPage> {
  const versionQuery = database
    .selectFrom('review_counts')
    .select(['reviews', 'version'])
    .where('listing_id', '=', '')
    .compile();
  const queries = {
    newest: reviewsInOrder(database, '', 'newest', 0).compile(),
    highest: reviewsInOrder(database, '', 'highest', 0).compile(),
    lowest: reviewsInOrder(database, '', 'lowest', 0).compile(),
  };
  const known = new Map<string, { readonly version: number; readonly page: ReviewPage }>();

  return ({ id: listingId, createdAt: listedAt }, order, limit) =>
    mapped(database.read(versionQuery, [listingId]), ([count]) => {
      if (count === undefined) return { total: 0, reviews: [] };
      // A server that is listed again has other reviews, whose versions begin at the first one.
      const name = `${listingId} ${listedAt} ${order} ${limit}`;
      const last = known.get(name);
      if (last?.version === count.version) return last.page;
      return mapped(database.read(queries[order], [listingId, limit]), (rows) => {
        const reviews = rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt).toISOString() }));
        const page = { total: count.reviews, reviews };
        if (known.size >= maxPages) known.clear();
        known.set(name, { version: count.version, page });
        return page;
      });
    });
}
