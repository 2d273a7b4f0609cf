import type { Sql } from './database.ts';

/** The metadata of an API key. `hint` is the key's last characters; the key itself is not stored. */
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

/** The active keys of a listing, newest first. */
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

/** Revokes a key of this listing; false if the listing has no active key with this id. */
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

/** Revokes all keys of a listing. */
export async function revokeAllKeys(sql: Sql, listingId: string, now: number): Promise<void> {
  await sql
    .updateTable('keys')
    .set({ revoked_at: now })
    .where('listing_id', '=', listingId)
    .where('revoked_at', 'is', null)
    .execute();
}
