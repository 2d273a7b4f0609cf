import type { Listing } from '../listing/listing.ts';
import type { Lookups } from '../storage/lookups.ts';
import { digest } from '../storage/secrets.ts';
import { ApiError } from './api-error.ts';

/** The API key of a request and the listing that it belongs to. */
export interface ApiCaller {
  readonly keyId: number;
  readonly listing: Listing;
}

/**
 * Authenticates a request by its API key (document, section 5).
 * @param key of the header, which is the preferred form, or else of the query; a list if it was sent several times
 * @throws ApiError 401
 */
export async function authenticate(lookups: Lookups, key: string | readonly string[] | undefined): Promise<ApiCaller> {
  if (key === undefined || key === '') {
    throw new ApiError(401, 'The API key is missing. Send it in the header X-API-Key or in the query parameter "key".');
  }
  const caller = typeof key === 'string' ? await lookups.caller(digest(key)) : null;
  if (caller === null) throw new ApiError(401, 'The API key is invalid.');
  return caller;
}
