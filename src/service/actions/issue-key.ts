import type { Listing } from '../listing/listing.ts';
import type { Sql } from '../storage/database.ts';
import { insertKey } from '../storage/keys.ts';
import { digest, newSecret } from '../storage/secrets.ts';

const shownCharacters = 4;

/** Makes a new API key for a listing. This is the only time that the key can be seen; only its digest is kept. */
export async function issueKey(
  sql: Sql,
  listing: Pick<Listing, 'id' | 'kind'>,
  label: string,
  now: number,
): Promise<string> {
  const key = newSecret(listing.kind);
  const hint = key.slice(-shownCharacters);
  await insertKey(sql, { listingId: listing.id, hash: digest(key), hint, label, createdAt: now });
  return key;
}
