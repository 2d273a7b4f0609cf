import type { Listing } from '../listing/listing.ts';
import type { Database, Sql } from '../storage/database.ts';
import { countKeys, insertKeys, type NewKey } from '../storage/listings/keys.ts';
import { lockOwnListing } from '../storage/listings/listings.ts';
import { digest, newSecret } from '../storage/secrets.ts';

const hintLength = 4;

/** Active keys of a listing, for owners. */
export const maxKeys = 20;

/** Creates an API key for a listing. Only the digest is stored, so the returned key cannot be shown again. */
export async function issueKey(
  sql: Sql,
  listing: Pick<Listing, 'id' | 'kind'>,
  label: string,
  now: number,
): Promise<string> {
  const { key, stored } = newKey(listing, label, now);
  await insertKeys(sql, [stored]);
  return key;
}

/** A key, and what is stored of it. */
export function newKey(
  { id, kind }: Pick<Listing, 'id' | 'kind'>,
  label: string,
  now: number,
): { readonly key: string; readonly stored: NewKey } {
  const key = newSecret(kind);
  return { key, stored: { listingId: id, hash: digest(key), hint: key.slice(-hintLength), label, createdAt: now } };
}

/**
 * As {@link issueKey}, for the owner. `not-owner`: another member has taken over the listing meanwhile, or it was deleted.
 * `too-many`: it has {@link maxKeys} active keys.
 */
export function issueOwnersKey(
  database: Database,
  listing: Pick<Listing, 'id' | 'kind' | 'ownerId'>,
  label: string,
  now: number,
): Promise<{ readonly key: string } | 'not-owner' | 'too-many'> {
  return database.transaction().execute(async (sql) => {
    if (!(await lockOwnListing(sql, listing.id, listing.ownerId))) return 'not-owner';
    if ((await countKeys(sql, listing.id)) >= maxKeys) return 'too-many';
    return { key: await issueKey(sql, listing, label, now) };
  });
}
