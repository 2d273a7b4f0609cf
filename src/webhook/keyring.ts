import { createHash, timingSafeEqual } from 'node:crypto';
import type { Family } from '../ledger/event.ts';
import { type ResolvableListing, withoutSecrets } from './resolve-listing.ts';
import { createVerifier, isSignature, reserialised } from './signature.ts';

/** A listing as webhooks know it. */
export interface ListingWithSecrets extends ResolvableListing {
  readonly voteSecrets: readonly string[];
  readonly premiumSecrets: readonly string[];
  /** The whole value of the header `Authorization`; null where every vote must be signed. */
  readonly voteAuthorization: string | null;
}

/** What a secret opens: deliveries of this family for this listing. */
export interface SecretScope {
  readonly listing: ResolvableListing;
  readonly family: Family;
}

/** A delivery whose sender is known: what it may say, and the text that was signed. */
export interface Verified {
  readonly scopes: readonly SecretScope[];
  readonly text: string;
}

/** Tells by what a request brings along who sent it. Compares in constant time, and never throws. */
export interface Keyring {
  /** Null when no secret of any listing made the signature, of the bytes or of their JSON (document, section 5.7). */
  verify(body: Buffer, signature: string): Verified | null;
  /** The vote grants that an Authorization value opens, for the listings that have opted in. */
  authorize(authorization: string): readonly SecretScope[];
}

/** All secrets of all listings. With none configured everything is refused: there is no default. */
export function createKeyring(listings: readonly ListingWithSecrets[]): Keyring {
  const bySecret = new Map<string, SecretScope[]>();
  const byAuthorization = new Map<string, SecretScope[]>();
  for (const { voteSecrets, premiumSecrets, voteAuthorization, ...named } of listings) {
    const listing = withoutSecrets(named);
    for (const secret of voteSecrets) grant(bySecret, secret, { listing, family: 'vote' });
    for (const secret of premiumSecrets) grant(bySecret, secret, { listing, family: 'premium' });
    if (voteAuthorization !== null) grant(byAuthorization, voteAuthorization, { listing, family: 'vote' });
  }

  const keys = [...bySecret].map(([secret, grants]) => ({ hasSigned: createVerifier(secret), grants }));

  /** Every secret is tried, whether or not one has matched, so that the time tells nothing. */
  function grantsFor(body: Buffer | string, signature: string): SecretScope[] {
    return keys.flatMap(({ hasSigned, grants }) => (hasSigned(body, signature) ? grants : []));
  }

  return {
    verify(body, signature) {
      if (!isSignature(signature)) return null;
      const text = body.toString('utf8');
      const grants = grantsFor(body, signature);
      if (grants.length > 0) return { scopes: grants, text };
      const serialised = reserialised(text);
      if (serialised === null || serialised === text) return null;
      const granted = grantsFor(serialised, signature);
      return granted.length > 0 ? { scopes: granted, text: serialised } : null;
    },
    authorize: (authorization) =>
      [...byAuthorization].flatMap(([expected, grants]) => (isSame(expected, authorization) ? grants : [])),
  };
}

function grant(grants: Map<string, SecretScope[]>, secret: string, granted: SecretScope): void {
  grants.set(secret, [...(grants.get(secret) ?? []), granted]);
}

/** In constant time, and verbatim: no trimming, no case folding. */
function isSame(expected: string, given: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(expected), digest(given));
}
