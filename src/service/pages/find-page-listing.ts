import { isSnowflake } from '../../platform/snowflake.ts';
import type { ServiceListingKind } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { findListing, type StoredListing } from '../storage/listings/listings.ts';
import { pageNotFound } from './render-page.ts';
import type { Visitor } from './session.ts';

/**
 * A listing that this visitor may see: a published one, one's own, or any for an operator.
 * @throws HttpError 404
 */
export async function requireVisibleListing(
  database: Database,
  kind: ServiceListingKind,
  id: string,
  visitor: Visitor | null,
): Promise<StoredListing> {
  const listing = isSnowflake(id) ? await findListing(database, id) : null;
  if (listing?.kind !== kind || !isVisible(listing, visitor)) throw pageNotFound();
  return listing;
}

export function isVisible({ state, ownerId }: StoredListing, visitor: Visitor | null): boolean {
  if (state === 'published') return true;
  return state !== 'deleting' && visitor !== null && (visitor.userId === ownerId || visitor.isOperator);
}

/** The id of a row in a path. @throws HttpError 404 */
export function readRowId(text: string): number {
  const id = Number(text);
  if (!/^\d{1,15}$/.test(text) || id === 0) throw pageNotFound();
  return id;
}
