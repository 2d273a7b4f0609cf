import { setImmediate } from 'node:timers/promises';
import type { ServiceListingKind } from '../../listing/listing.ts';
import type { Database } from '../database.ts';
import { isPublished } from './search.ts';

/**
 * The published listings of a kind by id, in batches with a turn of the event loop between them.
 * @param options.after the id before the first one
 * @param options.batchSize listings that are read together: SQLite blocks this process meanwhile
 */
export async function* publishedListings(
  database: Database,
  kind: ServiceListingKind,
  {
    after = '',
    limit = Number.POSITIVE_INFINITY,
    batchSize = 1_000,
  }: { readonly after?: string; readonly limit?: number; readonly batchSize?: number },
) {
  let last = after;
  for (let left = limit; left > 0; ) {
    const listings = await publishedAfter(database, kind, last)
      .select(['updated_at as updatedAt', 'growth'])
      .limit(Math.min(left, batchSize))
      .execute();
    last = listings.at(-1)?.id ?? last;
    left = listings.length < batchSize ? 0 : left - batchSize;
    if (listings.length > 0) yield listings;
    await setImmediate();
  }
}

/**
 * Divides the published listings of a kind into parts of `size`. Reads entries of an index only, one part at a time.
 * @returns after which id each part begins: '' for the first one, and nothing without listings
 */
export async function partsOfPublished(database: Database, kind: ServiceListingKind, size: number): Promise<string[]> {
  const parts: string[] = [];
  let hasMore = (await publishedAfter(database, kind, '').limit(1).execute()).length > 0;
  for (let after = ''; hasMore; ) {
    parts.push(after);
    const [last, next] = await publishedAfter(database, kind, after)
      .limit(2)
      .offset(size - 1)
      .execute();
    hasMore = next !== undefined;
    after = last?.id ?? after;
    await setImmediate();
  }
  return parts;
}

function publishedAfter(database: Database, kind: ServiceListingKind, id: string) {
  const listings = database.selectFrom('listings').select('id').where(isPublished).where('kind', '=', kind);
  return listings.where('id', '>', id).orderBy('id');
}
