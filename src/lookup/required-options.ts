import { TallyhookError } from '../platform/errors.ts';
import { type ListingKind, listingKinds } from './lookup.ts';

/**
 * Checks what a lookup client cannot do without. Callers without a type checker, or with an environment variable that is not set, get an
 * error that names the option instead of a failed request later. No value is in an error: the key is a secret, and an address may hold one.
 * @throws TallyhookError
 */
export function checkRequiredOptions(options: { kind: ListingKind; baseUrl: string; key: string }): void {
  checkKind(options.kind);
  checkBaseUrl(options.baseUrl);
  if (isUnset(options.key)) {
    throw new TallyhookError('lookup_key_missing', 'The option "key" of the lookup client is not set.', {
      hint: "Pass the API key of the listing, from the service's dashboard (edit view, advanced setup).",
    });
  }
}

function checkKind(kind: unknown): void {
  const cure = `Pass ${listingKinds.map((known) => `"${known}"`).join(' or ')}, whichever the API key belongs to.`;
  if (isUnset(kind)) {
    throw new TallyhookError('lookup_kind_missing', 'The option "kind" of the lookup client is not set.', {
      hint: cure,
    });
  }
  if (!listingKinds.some((known) => known === kind)) {
    throw new TallyhookError('lookup_kind_unknown', 'The option "kind" of the lookup client is neither of the two.', {
      hint: cure,
    });
  }
}

function checkBaseUrl(baseUrl: unknown): void {
  const cure = 'Pass the http(s) address of the lookup API, ending in /api/v1, without user, password or query.';
  if (isUnset(baseUrl)) {
    throw new TallyhookError('lookup_base_url_missing', 'The option "baseUrl" of the lookup client is not set.', {
      hint: cure,
    });
  }
  if (!isBaseUrl(baseUrl)) {
    throw new TallyhookError(
      'lookup_base_url_malformed',
      'The option "baseUrl" of the lookup client is not the address of a lookup API.',
      { hint: cure },
    );
  }
}

/** `fetch` refuses an address with a user or password, and quotes it when it does. */
function isBaseUrl(baseUrl: unknown): boolean {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return false;
  const { protocol, username, password, search, hash, pathname } = new URL(baseUrl);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  return isHttp && `${username}${password}${search}${hash}` === '' && /\/api\/v1\/*$/.test(pathname);
}

/** An empty string is what a fallback for an environment variable that is not set leaves. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
