import type { Listing } from '../listing/listing.ts';
import type { Sql } from '../storage/database.ts';
import { insertKey } from '../storage/keys.ts';
import { digest, newSecret } from '../storage/secrets.ts';

const hintLength = 4;

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
