import { type ExpressionBuilder, sql as expression, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { botFactsSchema, type Listing, type ServiceListingKind, serverFactsSchema } from '../../listing/listing.ts';
import { monthNumber } from '../../listing/period.ts';
import type { Sql } from '../database.ts';
import type { ListingState, Row, ServiceTables } from '../tables.ts';

/** How a listing is shown. */
interface Presentation {
  readonly state: ListingState;
  /** Why the operator hid it; null otherwise. */
  readonly stateReason: string | null;
  /** Changes with the icon; null without one. */
  readonly iconVersion: string | null;
}

export type StoredListing = Listing & Presentation;

/** Inserts a listing; false if there is one with this id. */
export async function insertListing(sql: Sql, listing: Listing, state: ListingState = 'published'): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('listings')
    .values({ ...toRow(listing), state })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Inserts published listings. */
export async function insertListings(sql: Sql, listings: readonly Listing[]): Promise<void> {
  if (listings.length === 0) return;
  await sql.insertInto('listings').values(listings.map(toRow)).execute();
}

/**
 * Publishes or hides a listing; false if it does not exist or is being deleted.
 * @param reason for its owner
 */
export async function updateListingState(
  sql: Sql,
  id: string,
  state: Exclude<ListingState, 'deleting'>,
  reason: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('listings')
    .set({ state, state_reason: reason })
    .where('id', '=', id)
    .where('state', '!=', 'deleting')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Locks a listing until the end of the transaction, against others that lock it; false if it is not this owner's (any
 * more), or is being deleted.
 */
export async function lockOwnListing(sql: Sql, id: string, ownerId: string): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('listings')
    .set((row) => ({ name: row.ref('name') }))
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('state', '!=', 'deleting')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Updates the columns that an owner may edit: all but id, kind, owner and creation time. */
export async function updateListing(sql: Sql, listing: Listing): Promise<void> {
  const { name, description, tags_json, facts_json } = toRow(listing);
  await sql
    .updateTable('listings')
    .set({ name, description, tags_json, facts_json })
    .where('id', '=', listing.id)
    .execute();
}

/**
 * Gives the listing of a server to another member; false if there is none, it is being deleted, or the member owns it
 * already.
 */
export async function changeOwner(sql: Sql, id: string, ownerId: string): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('listings')
    .set({ owner_id: ownerId })
    .where('id', '=', id)
    .where('kind', '=', 'server')
    .where('owner_id', '!=', ownerId)
    .where('state', '!=', 'deleting')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives a listing of any kind to a member. */
export async function setOwner(sql: Sql, id: string, ownerId: string): Promise<void> {
  await sql.updateTable('listings').set({ owner_id: ownerId }).where('id', '=', id).execute();
}

/** The owners of those servers that are listed, by the id of the server. */
export async function ownersOfServers(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  // Anybody may have added a bot with the id of a server.
  const servers = sql.selectFrom('listings').select(['id', 'owner_id']).where('kind', '=', 'server');
  const rows = await servers.where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, owner_id }) => [id, owner_id]));
}

export async function findListing(sql: Sql, id: string): Promise<StoredListing | null> {
  const row = await sql.selectFrom('listings').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? listingOfRow(row) : null;
}

/** The first listings by id, with their owners. */
export async function listOwners(sql: Sql, limit: number): Promise<{ name: string; ownerId: string }[]> {
  return sql.selectFrom('listings').select(['name', 'owner_id as ownerId']).orderBy('id').limit(limit).execute();
}

/** All listings, or those of one kind, oldest first. */
export async function allListings(sql: Sql, kind?: ServiceListingKind): Promise<StoredListing[]> {
  const all = sql.selectFrom('listings').selectAll().orderBy('created_at').orderBy('id');
  const rows = await (kind ? all.where('kind', '=', kind) : all).execute();
  return rows.map(listingOfRow);
}

/** The number of listings of an owner, except those that are being deleted. */
export async function countListingsOfOwner(sql: Sql, ownerId: string): Promise<number> {
  const { listings } = await sql
    .selectFrom('listings')
    .select(({ fn }) => fn.countAll<number>().as('listings'))
    .where('owner_id', '=', ownerId)
    .where('state', '!=', 'deleting')
    .executeTakeFirstOrThrow();
  return Number(listings);
}

export async function listingsOfOwner(sql: Sql, ownerId: string): Promise<StoredListing[]> {
  const rows = await sql.selectFrom('listings').selectAll().where('owner_id', '=', ownerId).orderBy('name').execute();
  return rows.map(listingOfRow);
}

type PresentationColumns = Pick<Row<'listings'>, 'state' | 'state_reason' | 'icon_version'>;

const tagsSchema = z.array(z.string());

function toRow(listing: Listing): Omit<Row<'listings'>, keyof PresentationColumns> {
  return {
    id: listing.id,
    kind: listing.kind,
    name: listing.name,
    description: listing.description,
    tags_json: JSON.stringify(listing.tags),
    facts_json: JSON.stringify(listing.facts),
    owner_id: listing.ownerId,
    created_at: listing.createdAt,
  };
}

export function listingOfRow(row: Row<'listings'>): StoredListing {
  const base = {
    id: row.id,
    name: row.name,
    description: row.description,
    tags: tagsSchema.parse(JSON.parse(row.tags_json)),
    ownerId: row.owner_id,
    createdAt: row.created_at,
    state: row.state,
    stateReason: row.state_reason,
    iconVersion: row.icon_version,
  };
  const facts: unknown = JSON.parse(row.facts_json);
  return row.kind === 'server'
    ? { ...base, kind: 'server', facts: serverFactsSchema.parse(facts) }
    : { ...base, kind: 'bot', facts: botFactsSchema.parse(facts) };
}

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
