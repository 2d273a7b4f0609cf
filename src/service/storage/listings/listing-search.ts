import { type ExpressionBuilder, sql as expression, type RawBuilder } from 'kysely';
import type { ServiceListingKind } from '../../listing/listing.ts';
import { monthNumber } from '../../listing/period.ts';
import type { Sql } from '../database.ts';
import type { ServiceTables } from '../tables.ts';
import { listingOfRow, type StoredListing } from './listings.ts';

export interface ListingSearch {
  /** A part of the name; empty for all. */
  readonly text: string;
  /** One tag; empty for all. */
  readonly tag: string;
  readonly kind: ServiceListingKind | null;
  readonly limit: number;
  readonly offset: number;
}

/** A listing with its votes of the current month. */
export interface RankedListing {
  readonly listing: StoredListing;
  readonly monthlyVotes: number;
}

/** The published listings with most votes in the calendar month of `now` (ms since the epoch) first. */
export async function searchListings(sql: Sql, search: ListingSearch, now: number): Promise<RankedListing[]> {
  const { text, tag, kind, limit, offset } = search;
  let query = sql
    .selectFrom('listings')
    .selectAll('listings')
    .select((row) => row.fn.coalesce(votesOfMonth(row, monthNumber(now)), row.lit(0)).as('monthly_votes'))
    .where('listings.state', '=', 'published');
  if (kind !== null) query = query.where('listings.kind', '=', kind);
  if (text !== '') query = query.where(contains(expression.ref('listings.name'), text));
  // The tags are JSON, so a quoted tag is a whole one.
  if (tag !== '') query = query.where(contains(expression.ref('listings.tags_json'), JSON.stringify(tag)));
  const rows = await query
    .orderBy('monthly_votes', 'desc')
    .orderBy('listings.created_at')
    .orderBy('listings.id')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map((row) => ({ listing: listingOfRow(row), monthlyVotes: Number(row.monthly_votes) }));
}

/** PostgreSQL counts a month in several rows. */
function votesOfMonth(row: ExpressionBuilder<ServiceTables, 'listings'>, month: number) {
  return row
    .selectFrom('vote_counts')
    .select(({ fn }) => fn.sum<number | null>('votes').as('votes'))
    .whereRef('vote_counts.listing_id', '=', 'listings.id')
    .where('month', '=', month);
}

/** Ignores case; SQLite knows only that of ASCII letters, so the text is also searched as it was written. */
function contains(column: RawBuilder<unknown>, text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
  return expression<boolean>`(lower(${column}) like ${pattern.toLowerCase()} escape '\\'
    or ${column} like ${pattern} escape '\\')`;
}
