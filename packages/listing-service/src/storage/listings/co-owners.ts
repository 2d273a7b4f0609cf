import type { Database, Sql } from '../database.ts';
import { findMember, lockMember } from '../members/members.ts';
import { countListingsOfOwner, lockListing, setOwner } from './listings.ts';

/** A member who may edit a listing of another member. */
export type CoOwner = Awaited<ReturnType<typeof coOwnersOf>>[number];

/** Most co-owners of a listing. */
export const maxCoOwners = 10;

/** The role of a member in a listing. Both may edit it; only the owner decides who may, and deletes it. */
export type ListingRole = 'owner' | 'co-owner';

/** Null for a member who may only see it. */
export async function findRole(
  sql: Sql,
  { id, ownerId }: { readonly id: string; readonly ownerId: string },
  userId: string,
): Promise<ListingRole | null> {
  if (ownerId === userId) return 'owner';
  const row = await coOwners(sql, id).where('co_owners.user_id', '=', userId).executeTakeFirst();
  return row === undefined ? null : 'co-owner';
}

/** Locks the row of a listing ({@link lockListing}); false if the member may not edit the listing (any more). */
export async function lockListingOf(sql: Sql, id: string, userId: string): Promise<boolean> {
  const listing = await lockListing(sql, id);
  // Read after the lock, so that a co-owner who was removed meanwhile is not found.
  return listing !== null && (await findRole(sql, listing, userId)) !== null;
}

/** In the order in which they were added. `username` is null for a member who is not known any more. */
export function coOwnersOf(sql: Sql, listingId: string) {
  return coOwners(sql, listingId)
    .leftJoin('members', 'members.user_id', 'co_owners.user_id')
    .select(['co_owners.user_id as userId', 'members.username'])
    .orderBy('co_owners.added_at')
    .orderBy('co_owners.user_id')
    .execute();
}

function coOwners(sql: Sql, listingId: string) {
  return sql.selectFrom('co_owners').select('co_owners.added_at').where('listing_id', '=', listingId);
}

/** The listings of other members that a member may edit, by name. `addedAt`: ms since the epoch. */
export function coOwnedListings(sql: Sql, userId: string) {
  return sql
    .selectFrom('co_owners')
    .innerJoin('listings', 'listings.id', 'co_owners.listing_id')
    .select(['listings.id', 'listings.kind', 'listings.name', 'co_owners.added_at as addedAt'])
    .where('co_owners.user_id', '=', userId)
    .where('listings.state', '!=', 'deleting')
    .orderBy('listings.name')
    .execute();
}

interface Change {
  readonly listingId: string;
  /** Who decides: the owner. */
  readonly ownerId: string;
  /** The member who becomes a co-owner, or ceases to be one. */
  readonly userId: string;
}

/**
 * Lets a member edit a listing. The member must have signed in here once, so that the owner sees a name, and a wrong id is
 * hardly that of somebody. `not-owner`: the listing has another owner meanwhile, or was deleted.
 */
export function addCoOwner(
  database: Database,
  { listingId, ownerId, userId }: Change,
  now: number,
): Promise<'added' | 'not-owner' | 'unknown' | 'has-access' | 'too-many'> {
  return database.transaction().execute(async (sql) => {
    const listing = await lockListing(sql, listingId);
    if (listing?.ownerId !== ownerId) return 'not-owner';
    if ((await findMember(sql, userId)) === null) return 'unknown';
    if ((await findRole(sql, listing, userId)) !== null) return 'has-access';
    if ((await coOwnersOf(sql, listingId)).length >= maxCoOwners) return 'too-many';
    await sql.insertInto('co_owners').values({ listing_id: listingId, user_id: userId, added_at: now }).execute();
    return 'added';
  });
}

/** Ends the access of a co-owner at once; false if the member had none. */
export function removeCoOwner(database: Database, listingId: string, userId: string): Promise<boolean> {
  return database.transaction().execute(async (sql) => {
    await lockListing(sql, listingId);
    return deleteCoOwner(sql, listingId, userId);
  });
}

async function deleteCoOwner(sql: Sql, listingId: string, userId: string): Promise<boolean> {
  const rows = sql.deleteFrom('co_owners').where('listing_id', '=', listingId).where('user_id', '=', userId);
  return (await rows.executeTakeFirst()).numDeletedRows > 0n;
}

/**
 * Makes a co-owner the owner, and the owner a co-owner. `not-co-owner`: the member is none any more. `too-many`: the member
 * has `maxListings` already.
 */
export function transferListing(
  database: Database,
  { listingId, ownerId, userId }: Change,
  { now, maxListings }: { readonly now: number; readonly maxListings: number },
): Promise<'transferred' | 'not-owner' | 'not-co-owner' | 'too-many'> {
  return database.transaction().execute(async (sql) => {
    await lockMember(sql, userId);
    if ((await lockListing(sql, listingId))?.ownerId !== ownerId) return 'not-owner';
    if ((await countListingsOfOwner(sql, userId)) >= maxListings) return 'too-many';
    if (!(await deleteCoOwner(sql, listingId, userId))) return 'not-co-owner';
    await sql.insertInto('co_owners').values({ listing_id: listingId, user_id: ownerId, added_at: now }).execute();
    await setOwner(sql, listingId, userId);
    return 'transferred';
  });
}

/** For a new owner who has not chosen them. */
export async function removeAllCoOwners(sql: Sql, listingId: string): Promise<void> {
  await sql.deleteFrom('co_owners').where('listing_id', '=', listingId).execute();
}
