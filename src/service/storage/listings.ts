import { z } from 'zod';
import { botFactsSchema, type Listing, type ServiceListingKind, serverFactsSchema } from '../listing/listing.ts';
import type { Sql } from './database.ts';
import type { Row } from './tables.ts';

export async function insertListing(sql: Sql, listing: Listing): Promise<void> {
  await sql.insertInto('listings').values(toRow(listing)).execute();
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

export async function findListing(sql: Sql, id: string): Promise<Listing | null> {
  const row = await sql.selectFrom('listings').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? listingOfRow(row) : null;
}

/** All listings, or those of one kind, oldest first. */
export async function allListings(sql: Sql, kind?: ServiceListingKind): Promise<Listing[]> {
  const all = sql.selectFrom('listings').selectAll().orderBy('created_at').orderBy('id');
  const rows = await (kind ? all.where('kind', '=', kind) : all).execute();
  return rows.map(listingOfRow);
}

export async function listingsOfOwner(sql: Sql, ownerId: string): Promise<Listing[]> {
  const rows = await sql.selectFrom('listings').selectAll().where('owner_id', '=', ownerId).orderBy('name').execute();
  return rows.map(listingOfRow);
}

const tagsSchema = z.array(z.string());

function toRow(listing: Listing): Row<'listings'> {
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

export function listingOfRow(row: Row<'listings'>): Listing {
  const base = {
    id: row.id,
    name: row.name,
    description: row.description,
    tags: tagsSchema.parse(JSON.parse(row.tags_json)),
    ownerId: row.owner_id,
    createdAt: row.created_at,
  };
  const facts: unknown = JSON.parse(row.facts_json);
  return row.kind === 'server'
    ? { ...base, kind: 'server', facts: serverFactsSchema.parse(facts) }
    : { ...base, kind: 'bot', facts: botFactsSchema.parse(facts) };
}
