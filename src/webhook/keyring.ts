import { createHash, timingSafeEqual } from 'node:crypto';
import type { Family } from '../ledger/event.ts';
import type { ListingContext } from '../tally/tally.ts';
import { createVerifier, isSignature, reserialised } from './signature.ts';

/** A listing that a delivery can be routed to. */
export interface ResolvableListing extends ListingContext {
  /** Discord ID of the server or bot; null if the configuration does not need it. */
  readonly id: string | null;
  /**
   * Whether the listing exists in the configuration only because variables describe both a server and a bot. It
   * receives only events that name its kind.
   */
  readonly implied: boolean;
}

/** A listing with the secrets of its webhooks. */
export interface ListingWithSecrets extends ResolvableListing {
  readonly voteSecrets: readonly string[];
  readonly premiumSecrets: readonly string[];
  /** The complete value of the header `Authorization`; null if every vote must be signed. */
  readonly voteAuthorization: string | null;
}

/** What a secret authorizes: deliveries of this family for this listing. */
export interface SecretScope {
  readonly listing: ResolvableListing;
  readonly family: Family;
}

/** A delivery with a valid signature: the scopes of its secret, and the text that was signed. */
export interface Verified {
  readonly scopes: readonly SecretScope[];
  readonly text: string;
}

/** Authenticates deliveries. Compares in constant time and never throws. */
export interface Keyring {
  /**
   * Null if no secret of any listing matches the signature, neither of the bytes nor of their JSON (document, section
   * 5.7).
   */
  verify(body: Buffer, signature: string): Verified | null;
  /** The vote scopes of an Authorization value, for listings that accept unsigned votes. */
  authorize(authorization: string): readonly SecretScope[];
  /** Replaces all secrets. Each delivery is checked either against the previous or against the new set. */
  replace(listings: readonly ListingWithSecrets[]): void;
}

/** A keyring over all secrets of all listings. Without any secret it rejects everything: there is no default secret. */
export function createKeyring(listings: readonly ListingWithSecrets[]): Keyring {
  let index = indexSecrets(listings);

  /** Tries every secret even after a match, so that the duration reveals nothing. */
  function scopesOf(body: Buffer | string, signature: string): SecretScope[] {
    return index.signing.flatMap(({ isSigned, scopes }) => (isSigned(body, signature) ? scopes : []));
  }

  return {
    verify(body, signature) {
      if (!isSignature(signature)) return null;
      const text = body.toString('utf8');
      const scopes = scopesOf(body, signature);
      if (scopes.length > 0) return { scopes, text };
      const serialised = reserialised(text);
      if (serialised === null || serialised === text) return null;
      const serialisedScopes = scopesOf(serialised, signature);
      return serialisedScopes.length > 0 ? { scopes: serialisedScopes, text: serialised } : null;
    },
    authorize: (authorization) =>
      index.authorization.flatMap(({ value, scopes }) => (isEqual(value, authorization) ? scopes : [])),
    replace(next) {
      index = indexSecrets(next);
    },
  };
}

/** The listing without its secrets. */
export function withoutSecrets(listing: ResolvableListing): ResolvableListing {
  const { id, implied, name, kind, rules, announceChannelId, premiumChannelId } = listing;
  return { id, implied, name, kind, rules, announceChannelId, premiumChannelId };
}

function indexSecrets(listings: readonly ListingWithSecrets[]) {
  const bySecret = new Map<string, SecretScope[]>();
  const byAuthorization = new Map<string, SecretScope[]>();
  for (const listingWithSecrets of listings) {
    const { voteSecrets, premiumSecrets, voteAuthorization } = listingWithSecrets;
    const listing = withoutSecrets(listingWithSecrets);
    for (const secret of voteSecrets) addScope(bySecret, secret, { listing, family: 'vote' });
    for (const secret of premiumSecrets) addScope(bySecret, secret, { listing, family: 'premium' });
    if (voteAuthorization !== null) addScope(byAuthorization, voteAuthorization, { listing, family: 'vote' });
  }
  return {
    signing: [...bySecret].map(([secret, scopes]) => ({ isSigned: createVerifier(secret), scopes })),
    authorization: [...byAuthorization].map(([value, scopes]) => ({ value, scopes })),
  };
}

function addScope(scopes: Map<string, SecretScope[]>, secret: string, scope: SecretScope): void {
  scopes.set(secret, [...(scopes.get(secret) ?? []), scope]);
}

/** Compares in constant time, without trimming or case folding. */
function isEqual(expected: string, value: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(expected), digest(value));
}
