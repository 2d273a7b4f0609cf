import type { Request } from 'express';
import type { Listing } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { findKey } from '../storage/keys.ts';
import { findListing } from '../storage/listings.ts';
import { digest } from '../storage/secrets.ts';
import { ApiError } from './api-error.ts';

/** The API key of a request and the listing that it belongs to. */
export interface ApiCaller {
  readonly keyId: number;
  readonly listing: Listing;
}

/**
 * Authenticates a request by its API key (document, section 5). The header is the preferred form: if it is sent,
 * `?key=` is ignored.
 * @throws ApiError 401
 */
export async function authenticate(database: Database, request: Request): Promise<ApiCaller> {
  const key = request.get('x-api-key') || request.query['key'];
  if (key === undefined || key === '') {
    throw new ApiError(401, 'The API key is missing. Send it in the header X-API-Key or in the query parameter "key".');
  }
  const storedKey = typeof key === 'string' ? await findKey(database, digest(key)) : null;
  const listing = storedKey && (await findListing(database, storedKey.listingId));
  if (!storedKey || !listing) throw new ApiError(401, 'The API key is invalid.');
  return { keyId: storedKey.id, listing };
}
