import { createHash } from 'node:crypto';
import type { Database, Sql } from '../database.ts';

export interface ListingIcon {
  /** Changes with the bytes. */
  readonly version: string;
  /** `image/png`, … */
  readonly type: string;
  readonly bytes: Buffer;
}

export async function findIcon(sql: Sql, listingId: string): Promise<ListingIcon | null> {
  const row = await sql.selectFrom('listing_icons').selectAll().where('listing_id', '=', listingId).executeTakeFirst();
  return row ? { version: row.version, type: row.type, bytes: Buffer.from(row.data_base64, 'base64') } : null;
}

/** Stores an icon, in place of the one before. */
export function saveIcon(
  database: Database,
  listingId: string,
  icon: Pick<ListingIcon, 'type' | 'bytes'>,
): Promise<void> {
  return database.transaction().execute((sql) => writeIcon(sql, listingId, icon));
}

/** Saves the icon of a listing in a transaction that has begun. */
export async function writeIcon(
  sql: Sql,
  listingId: string,
  { type, bytes }: Pick<ListingIcon, 'type' | 'bytes'>,
): Promise<void> {
  const version = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const values = { version, type, data_base64: bytes.toString('base64') };
  await sql.updateTable('listings').set({ icon_version: version }).where('id', '=', listingId).execute();
  await sql
    .insertInto('listing_icons')
    .values({ listing_id: listingId, ...values })
    .onConflict((conflict) => conflict.column('listing_id').doUpdateSet(values))
    .execute();
}

export async function deleteIcon(database: Database, listingId: string): Promise<void> {
  await database.transaction().execute(async (sql) => {
    await sql.updateTable('listings').set({ icon_version: null }).where('id', '=', listingId).execute();
    await sql.deleteFrom('listing_icons').where('listing_id', '=', listingId).execute();
  });
}
