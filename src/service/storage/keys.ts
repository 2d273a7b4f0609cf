import type { Sql } from './database.ts';

/** An API key as an owner sees it: never the key, only its last characters. */
export interface StoredKey {
  readonly id: number;
  readonly listingId: string;
  readonly hint: string;
  readonly label: string;
  readonly createdAt: number;
}

export async function insertKey(
  sql: Sql,
  key: { listingId: string; hash: string; hint: string; label: string; createdAt: number },
): Promise<void> {
  await sql
    .insertInto('keys')
    .values({
      listing_id: key.listingId,
      hash: key.hash,
      hint: key.hint,
      label: key.label,
      created_at: key.createdAt,
      revoked_at: null,
    })
    .execute();
}

/** The key with this hash, unless it was revoked. */
export async function findKey(sql: Sql, hash: string): Promise<{ id: number; listingId: string } | null> {
  const row = await sql
    .selectFrom('keys')
    .select(['id', 'listing_id'])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row ? { id: row.id, listingId: row.listing_id } : null;
}

/** The keys of a listing that still work, the newest first. */
export async function keysOfListing(sql: Sql, listingId: string): Promise<StoredKey[]> {
  const rows = await sql
    .selectFrom('keys')
    .selectAll()
    .where('listing_id', '=', listingId)
    .where('revoked_at', 'is', null)
    .orderBy('id', 'desc')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    listingId: row.listing_id,
    hint: row.hint,
    label: row.label,
    createdAt: row.created_at,
  }));
}

/** Ends a key of this listing; false when the listing has no such working key. */
export async function revokeKey(sql: Sql, listingId: string, keyId: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('keys')
    .set({ revoked_at: now })
    .where('id', '=', keyId)
    .where('listing_id', '=', listingId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
