import type { Request } from 'express';
import type { Listing } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { findKey } from '../storage/keys.ts';
import { findListing } from '../storage/listings.ts';
import { digest } from '../storage/secrets.ts';
import { ApiError } from './api-error.ts';

/** Whom a request's key stands for. */
export interface Caller {
  readonly keyId: number;
  readonly listing: Listing;
}

/**
 * Finds out who asks (document, section 5). The header is the preferred form: where it is sent, `?key=` is not looked at.
 * @throws Refusal 401
 */
export async function authenticate(database: Database, request: Request): Promise<Caller> {
  const key = request.get('x-api-key') || request.query['key'];
  if (key === undefined || key === '') {
    throw new ApiError(401, 'An API key is missing. Send it in the header X-API-Key, or as the query parameter "key".');
  }
  const known = typeof key === 'string' ? await findKey(database, digest(key)) : null;
  const listing = known && (await findListing(database, known.listingId));
  if (!known || !listing) throw new ApiError(401, 'This API key is not valid.');
  return { keyId: known.id, listing };
}
