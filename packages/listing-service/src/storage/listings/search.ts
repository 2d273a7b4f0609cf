import { type ExpressionBuilder, sql as expression, type RawBuilder } from 'kysely';
import type { Category } from '../../listing/category.ts';
import type { Listing, ServiceListingKind } from '../../listing/listing.ts';
import type { Sql } from '../database.ts';
import type { ServiceTables } from '../tables.ts';
import { monthNumber } from '../votes.ts';
import { listingOfRow, type StoredListing } from './listings.ts';

/**
 * `votes`: those of the calendar month; `new`: the newest listing first; `rating`: the mean of the stars; `growing`: most
 * votes more than in the week before.
 */
export const listingOrders = ['votes', 'new', 'rating', 'growing'] as const;
export type ListingOrder = (typeof listingOrders)[number];

export interface ListingSearch {
  /** A part of the name; empty for all. */
  readonly text: string;
  /** One tag; empty for all. */
  readonly tag: string;
  readonly kind: ServiceListingKind | null;
  readonly category: Category | null;
  readonly order: ListingOrder;
  readonly limit: number;
  readonly offset: number;
}

export interface RankedListing {
  readonly listing: StoredListing;
  readonly monthlyVotes: number;
  /** The place among all servers, or all bots, by these votes. Equal votes share a place, and the next one is skipped. */
  readonly rank: number;
  /** How many more votes than in the week before; see `updateGrowth`. */
  readonly growth: number;
  /** The mean of the stars; null without reviews. */
  readonly rating: number | null;
}

/** So that one review of five stars does not outweigh many: the mean as if there were five more reviews of three stars. */
const rating = expression<number>`case when review_counts.reviews > 0
  then (review_counts.rating_sum + 15.0) / (review_counts.reviews + 5) else 0 end`;

/** The published listings in this order. @param now ms since the epoch: its calendar month counts */
export async function searchListings(sql: Sql, search: ListingSearch, now: number): Promise<RankedListing[]> {
  const { text, tag, kind, category, order, limit, offset } = search;
  // The places are those among all listings, so they are counted before listings are selected.
  const counted = sql
    .selectFrom('listings')
    .select(['id', 'kind'])
    .select((row) => monthlyVotes(row, now).as('monthly_votes'))
    .where(isPublished);
  const places = sql
    .selectFrom(counted.as('counted'))
    .select(['id', 'monthly_votes'])
    .select(({ fn }) =>
      fn
        .agg<number>('rank')
        .over((over) => over.partitionBy('kind').orderBy('monthly_votes', 'desc'))
        .as('place'),
    );
  let query = sql
    .selectFrom(places.as('places'))
    .innerJoin('listings', 'listings.id', 'places.id')
    .leftJoin('review_counts', 'review_counts.listing_id', 'listings.id')
    .selectAll('listings')
    .select(['places.monthly_votes', 'places.place', 'review_counts.reviews', 'review_counts.rating_sum']);
  if (kind !== null) query = query.where('listings.kind', '=', kind);
  if (category !== null) query = query.where(isInCategory(category));
  if (text !== '') query = query.where(contains(expression.ref('listings.name'), text));
  // The tags are JSON, so a quoted tag is a whole one.
  if (tag !== '') query = query.where(contains(expression.ref('listings.tags_json'), JSON.stringify(tag)));
  if (order === 'new') query = query.orderBy('listings.created_at', 'desc');
  else if (order === 'rating') query = query.orderBy(rating, 'desc');
  else if (order === 'growing') query = query.orderBy('listings.growth', 'desc');
  const rows = await query
    .orderBy('places.monthly_votes', 'desc')
    .orderBy('listings.created_at')
    .orderBy('listings.id')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map((row) => ({
    listing: listingOfRow(row),
    monthlyVotes: Number(row.monthly_votes),
    rank: Number(row.place),
    growth: row.growth,
    rating: row.reviews ? Number(row.rating_sum) / Number(row.reviews) : null,
  }));
}

/**
 * The place of a published listing among those of its kind by votes of the calendar month of `now` (ms since the epoch).
 * @param votes those of the listing in this month
 */
export async function rankOf(sql: Sql, { kind }: Pick<Listing, 'kind'>, votes: number, now: number): Promise<number> {
  const { better } = await sql
    .selectFrom('listings')
    .select(({ fn }) => fn.countAll<number>().as('better'))
    .where(isPublished)
    .where('kind', '=', kind)
    .where((row) => monthlyVotes(row, now), '>', votes)
    .executeTakeFirstOrThrow();
  return Number(better) + 1;
}

/** Other listings of the kind that share a category: those that share most of them first, then those with most votes. */
export async function relatedListings(
  sql: Sql,
  { id, kind, categories }: StoredListing,
  { limit, now }: { readonly limit: number; readonly now: number },
): Promise<{ readonly listing: StoredListing; readonly monthlyVotes: number }[]> {
  if (categories.length === 0) return [];
  const isShared = categories.map(
    (category) => expression<number>`case when ${isInCategory(category)} then 1 else 0 end`,
  );
  const shared = expression<number>`(${expression.join(isShared, expression` + `)})`;
  const chosen = sql
    .selectFrom('listings')
    .select('id')
    .select((row) => [shared.as('shared'), monthlyVotes(row, now).as('monthly_votes')])
    .where(isPublished)
    .where('kind', '=', kind)
    .where('id', '!=', id)
    .where(shared, '>', 0)
    .orderBy('shared', 'desc')
    .orderBy('monthly_votes', 'desc')
    .orderBy('id')
    .limit(limit);
  const rows = await sql
    .selectFrom(chosen.as('chosen'))
    .innerJoin('listings', 'listings.id', 'chosen.id')
    .selectAll('listings')
    .select('chosen.monthly_votes')
    .orderBy('chosen.shared', 'desc')
    .orderBy('chosen.monthly_votes', 'desc')
    .orderBy('listings.id')
    .execute();
  return rows.map((row) => ({ listing: listingOfRow(row), monthlyVotes: Number(row.monthly_votes) }));
}

/** Written out, since the index contains only rows of this state. */
export const isPublished = expression<boolean>`listings.state = 'published'`;

/** The categories are a JSON list of names, none of which needs escaping. */
function isInCategory(category: Category): RawBuilder<boolean> {
  return expression<boolean>`listings.categories_json like ${`%"${category}"%`}`;
}

/** The votes of a listing in the calendar month. PostgreSQL counts a month in several rows. */
function monthlyVotes(row: ExpressionBuilder<ServiceTables, 'listings'>, now: number) {
  const votes = row
    .selectFrom('vote_counts')
    .select(({ fn }) => fn.sum<number | null>('votes').as('votes'))
    .whereRef('vote_counts.listing_id', '=', 'listings.id')
    .where('month', '=', monthNumber(now));
  return row.fn.coalesce(votes, row.lit(0));
}

/** Ignores case; SQLite knows only that of ASCII letters, so the text is also searched as it was written. */
function contains(column: RawBuilder<unknown>, text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
  return expression<boolean>`(lower(${column}) like ${pattern.toLowerCase()} escape '\\'
    or ${column} like ${pattern} escape '\\')`;
}
