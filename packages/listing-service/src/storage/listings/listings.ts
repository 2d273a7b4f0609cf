import { z } from 'zod';
import { type Category, knownCategories } from '../../listing/category.ts';
import { botFactsSchema, type Listing, type ServiceListingKind, serverFactsSchema } from '../../listing/listing.ts';
import type { Sql } from '../database.ts';
import type { ListingState, Row } from '../tables.ts';

interface Presentation {
  readonly state: ListingState;
  /** Why the operator hid it; null otherwise. */
  readonly stateReason: string | null;
  /** Changes with the icon; null without one. */
  readonly iconVersion: string | null;
  /** The address at Discord by which members join the server or add the bot; null if its owner gave none. */
  readonly invite: string | null;
  /** At most three. */
  readonly categories: readonly Category[];
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

export async function insertListings(sql: Sql, listings: readonly Listing[]): Promise<void> {
  if (listings.length === 0) return;
  await sql.insertInto('listings').values(listings.map(toRow)).execute();
}

/** Publishes or hides a listing; false if it does not exist or is being deleted. @param reason for its owner */
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

/** Locks a listing until the end of the transaction, against others that lock it; null if it is being deleted. */
export async function lockListing(sql: Sql, id: string): Promise<Pick<Listing, 'id' | 'ownerId'> | null> {
  const row = await sql
    .updateTable('listings')
    .set((columns) => ({ name: columns.ref('name') }))
    .where('id', '=', id)
    .where('state', '!=', 'deleting')
    .returning(['id', 'owner_id as ownerId'])
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Updates what the form of an owner has: name, description, tags, categories and facts.
 * @param now ms since the epoch
 */
export async function updateListing(
  sql: Sql,
  listing: Listing & Pick<Presentation, 'categories'>,
  now: number,
): Promise<void> {
  const { name, description, tags_json, facts_json } = toRow(listing);
  const categories_json = JSON.stringify(listing.categories);
  await sql
    .updateTable('listings')
    .set({ name, description, tags_json, facts_json, categories_json, updated_at: now })
    .where('id', '=', listing.id)
    .execute();
}

/**
 * Changes some facts of a listing, and leaves the others as they are, also if its owner edits them at the same time. To be
 * called in a transaction.
 * @returns the listing with them; null if there is none of this kind, or it is being deleted
 */
export async function updateFacts<Kind extends ServiceListingKind>(
  sql: Sql,
  id: string,
  kind: Kind,
  changes: Partial<Extract<Listing, { kind: Kind }>['facts']>,
): Promise<Extract<StoredListing, { kind: Kind }> | null> {
  const locked = await sql
    .updateTable('listings')
    .set((row) => ({ name: row.ref('name') }))
    .where('id', '=', id)
    .where('kind', '=', kind)
    .where('state', '!=', 'deleting')
    .returningAll()
    .executeTakeFirst();
  if (locked === undefined) return null;
  const facts_json = JSON.stringify({ ...JSON.parse(locked.facts_json), ...changes });
  await sql.updateTable('listings').set({ facts_json }).where('id', '=', id).execute();
  return listingOfRow({ ...locked, facts_json }) as Extract<StoredListing, { kind: Kind }>;
}

export async function saveInvite(sql: Sql, id: string, invite: string | null): Promise<void> {
  await sql.updateTable('listings').set({ invite }).where('id', '=', id).execute();
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

/** The listings that a member owns, and then those of others that the member may edit. */
export async function listingsOfMember(sql: Sql, userId: string): Promise<StoredListing[]> {
  const coOwned = sql.selectFrom('co_owners').select('listing_id').where('user_id', '=', userId);
  const all = sql.selectFrom('listings').selectAll().orderBy('name');
  const own = await all.where('owner_id', '=', userId).execute();
  const others = await all.where('id', 'in', coOwned).where('state', '!=', 'deleting').execute();
  return [...own, ...others].map(listingOfRow);
}

type OwnColumns = keyof Omit<Row<'listings'>, 'state' | 'state_reason' | 'icon_version' | 'invite' | 'growth'>;

const textsSchema = z.array(z.string());

function toRow(listing: Listing): Pick<Row<'listings'>, OwnColumns> {
  return {
    id: listing.id,
    kind: listing.kind,
    name: listing.name,
    description: listing.description,
    tags_json: JSON.stringify(listing.tags),
    facts_json: JSON.stringify(listing.facts),
    // A new server is in the category that the lookup API returns.
    categories_json: JSON.stringify(listing.kind === 'server' ? knownCategories([listing.facts.category]) : []),
    owner_id: listing.ownerId,
    created_at: listing.createdAt,
    updated_at: listing.createdAt,
  };
}

export function listingOfRow(row: Row<'listings'>): StoredListing {
  const base = {
    id: row.id,
    name: row.name,
    description: row.description,
    tags: textsSchema.parse(JSON.parse(row.tags_json)),
    ownerId: row.owner_id,
    createdAt: row.created_at,
    state: row.state,
    stateReason: row.state_reason,
    iconVersion: row.icon_version,
    invite: row.invite,
    categories: knownCategories(textsSchema.parse(JSON.parse(row.categories_json))),
  };
  const facts: unknown = JSON.parse(row.facts_json);
  return row.kind === 'server'
    ? { ...base, kind: 'server', facts: serverFactsSchema.parse(facts) }
    : { ...base, kind: 'bot', facts: botFactsSchema.parse(facts) };
}
