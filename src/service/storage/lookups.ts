import type { Listing } from '../listing/listing.ts';
import { monthNumber } from '../listing/period.ts';
import type { Database } from './database.ts';
import { listingOfRow } from './listings/listings.ts';
import { type MaybePromise, mapped } from './maybe-promise.ts';
import { createReviewLookup, type ReviewPage } from './reviews/review-lookup.ts';
import type { ReviewOrder } from './reviews/reviews.ts';
import type { Row } from './tables.ts';

/** What the API reads for each request: statements that are compiled once. */
export interface Lookups {
  /** The key with this digest, unless it was revoked, and its listing. */
  caller(hash: string): MaybePromise<{ readonly keyId: number; readonly listing: Listing } | null>;
  /** Votes for a listing in total, and in the calendar month of `now` (ms since the epoch) or later. */
  votes(listingId: string, now: number): MaybePromise<{ readonly total: number; readonly month: number }>;
  /** The time of the user's last vote for this listing (ms since the epoch), or null. */
  lastVoteAt(listingId: string, userId: string): MaybePromise<number | null>;
  /** The first `limit` reviews in this order, and their number. Reviews with equal ratings are sorted newest first. */
  reviews(listingId: string, order: ReviewOrder, limit: number): MaybePromise<ReviewPage>;
}

/** Listings that are remembered in parsed form. */
const maxListings = 10_000;

export function createLookups(database: Database): Lookups {
  const callerQuery = database
    .selectFrom('keys')
    .innerJoin('listings', 'listings.id', 'keys.listing_id')
    .selectAll('listings')
    .select('keys.id as key_id')
    .where('keys.hash', '=', '')
    .where('keys.revoked_at', 'is', null)
    .compile();
  const votesQuery = database
    .selectFrom('vote_counts')
    .select(({ fn }) => [
      fn.sum<number | null>('votes').filterWhere('month', '>=', 0).as('month'),
      fn.sum<number | null>('votes').as('total'),
    ])
    .where('listing_id', '=', '')
    .compile();
  const lastVoteQuery = database
    .selectFrom('votes')
    .select(({ fn }) => fn.max<number | null>('voted_at').as('at'))
    .where('listing_id', '=', '')
    .where('user_id', '=', '')
    .compile();
  const reviews = createReviewLookup(database);
  const parseListing = createListingParser();

  return {
    caller: (hash) =>
      mapped(database.read(callerQuery, [hash]), ([row]) =>
        row === undefined ? null : { keyId: row.key_id, listing: parseListing(row) },
      ),
    votes: (listingId, now) =>
      mapped(database.read(votesQuery, [monthNumber(now), listingId]), ([row]) => ({
        total: row?.total ?? 0,
        month: row?.month ?? 0,
      })),
    lastVoteAt: (listingId, userId) =>
      mapped(database.read(lastVoteQuery, [listingId, userId]), ([row]) => row?.at ?? null),
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
