import type { Listing } from '../listing/listing.ts';
import type { Database, Sql } from '../storage/database.ts';
import { countKeys, insertKeys, type NewKey } from '../storage/listings/keys.ts';
import { lockListing } from '../storage/listings/listings.ts';
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

/** As {@link issueKey}; null if the listing has {@link maxKeys} active keys. */
export function issueOwnersKey(
  database: Database,
  listing: Pick<Listing, 'id' | 'kind'>,
  label: string,
  now: number,
): Promise<string | null> {
  return database.transaction().execute(async (sql) => {
    await lockListing(sql, listing.id);
    return (await countKeys(sql, listing.id)) < maxKeys ? issueKey(sql, listing, label, now) : null;
  });
}
