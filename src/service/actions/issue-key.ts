import type { Listing } from '../listing/listing.ts';
import type { Database, Sql } from '../storage/database.ts';
import { countKeys, insertKey } from '../storage/keys.ts';
import { lockListing } from '../storage/listings.ts';
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
  const key = newSecret(listing.kind);
  const hint = key.slice(-hintLength);
  await insertKey(sql, { listingId: listing.id, hash: digest(key), hint, label, createdAt: now });
  return key;
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
