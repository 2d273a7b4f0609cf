import type { Insertable } from 'kysely';
import type { Listing } from '../../listing/listing.ts';
import type { Database, Sql } from '../database.ts';
import { digest, newSecret } from '../secrets.ts';
import type { ServiceTables } from '../tables.ts';
import { lockListingOf } from './co-owners.ts';

/**
 * The metadata of an API key. `hint` is the key's last characters; the key itself is not stored. `lastUsedAt` is to the
 * minute (ms since the epoch); null if it was never used, or not for a minute after its first use.
 */
export type StoredKey = Awaited<ReturnType<typeof keysOfListing>>[number];

/** The active keys of a listing, newest first. */
export function keysOfListing(sql: Sql, listingId: string) {
  return activeKeys(sql, listingId).orderBy('keys.id', 'desc').execute();
}

/** An active key of this listing, or null. */
export async function findKey(sql: Sql, listingId: string, keyId: number): Promise<StoredKey | null> {
  return (await activeKeys(sql, listingId).where('keys.id', '=', keyId).executeTakeFirst()) ?? null;
}

/** The id of the listing of an active key; null for any other text. */
export async function listingIdOfKey(sql: Sql, key: string): Promise<string | null> {
  const keys = sql.selectFrom('keys').select('listing_id').where('hash', '=', digest(key));
  return (await keys.where('revoked_at', 'is', null).executeTakeFirst())?.listing_id ?? null;
}

export async function countKeys(sql: Sql, listingId: string): Promise<number> {
  const { keys } = await sql
    .selectFrom('keys')
    .select(({ fn }) => fn.countAll<number>().as('keys'))
    .where('listing_id', '=', listingId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(keys);
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

export async function revokeAllKeys(sql: Sql, listingId: string, now: number): Promise<void> {
  await sql
    .updateTable('keys')
    .set({ revoked_at: now })
    .where('listing_id', '=', listingId)
    .where('revoked_at', 'is', null)
    .execute();
}

function activeKeys(sql: Sql, listingId: string) {
  return sql
    .selectFrom('keys')
    .leftJoin('key_usage', 'key_usage.key_id', 'keys.id')
    .select(['keys.id', 'keys.listing_id as listingId', 'keys.hint', 'keys.label', 'keys.created_at as createdAt'])
    .select('key_usage.last_used_at as lastUsedAt')
    .where('keys.listing_id', '=', listingId)
    .where('keys.revoked_at', 'is', null);
}

/** Stores when keys were last used (ms since the epoch), unless a later use is stored. */
export async function saveKeyUsage(sql: Sql, lastUsed: ReadonlyMap<number, number>): Promise<void> {
  // In the order of the keys, so that two processes cannot lock each other.
  const rows = [...lastUsed]
    .map(([key_id, last_used_at]) => ({ key_id, last_used_at }))
    .sort((one, other) => one.key_id - other.key_id);
  const batchSize = 500;
  for (let start = 0; start < rows.length; start += batchSize) {
    await sql
      .insertInto('key_usage')
      .values(rows.slice(start, start + batchSize))
      .onConflict((conflict) =>
        conflict
          .column('key_id')
          .doUpdateSet((excluded) => ({ last_used_at: excluded.ref('excluded.last_used_at') }))
          .whereRef('key_usage.last_used_at', '<', 'excluded.last_used_at'),
      )
      .execute();
  }
}

type KeyedListing = Pick<Listing, 'id' | 'kind'>;

const hintLength = 4;

/** Active keys of a listing, for owners. */
export const maxKeys = 20;

/** Creates an API key for a listing. Only the digest is stored, so the returned key cannot be shown again. */
export async function issueKey(sql: Sql, listing: KeyedListing, label: string, now: number): Promise<string> {
  const { key, row } = newKey(listing, label, now);
  await sql.insertInto('keys').values(row).execute();
  return key;
}

export function newKey({ id, kind }: KeyedListing, label: string, now: number) {
  const key = newSecret(kind);
  const row = {
    listing_id: id,
    hash: digest(key),
    hint: key.slice(-hintLength),
    label,
    created_at: now,
    revoked_at: null,
  };
  return { key, row: row satisfies Insertable<ServiceTables['keys']> };
}

/**
 * Issues a key on behalf of a member, as {@link issueKey} does. `not-owner`: the member may not edit the listing any
 * more, or it was deleted. `too-many`: it has {@link maxKeys} active keys.
 */
export function issueOwnersKey(
  database: Database,
  listing: KeyedListing,
  { userId, label, now }: { readonly userId: string; readonly label: string; readonly now: number },
): Promise<{ readonly key: string } | 'not-owner' | 'too-many'> {
  return database.transaction().execute(async (sql) => {
    if (!(await lockListingOf(sql, listing.id, userId))) return 'not-owner';
    if ((await countKeys(sql, listing.id)) >= maxKeys) return 'too-many';
    return { key: await issueKey(sql, listing, label, now) };
  });
}
