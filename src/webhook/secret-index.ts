import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Family } from './event.ts';
import type { ListingSecrets, SecretScope, WebhookListing, WithoutSecrets } from './listing.ts';

/** Length of a SHA-256 block (bytes). */
const blockLength = 64;
/** Length of a SHA-256 digest (bytes). */
const digestLength = 32;

/** A secret in the form that HMAC-SHA256 needs (RFC 2104). */
export interface HmacKey {
  /** The first block of the inner digest. */
  readonly innerPad: Buffer;
  /** The input of the outer digest: one block, then room for the inner digest. */
  readonly outerInput: Buffer;
}

/** A signed message that is checked against any number of keys. */
export interface SignedMessage {
  /** Number of bytes that a check has to digest. */
  readonly length: number;
  /** Compares in constant time. */
  isSignedWith(key: HmacKey): boolean;
}

export function createHmacKey(secret: string | Uint8Array): HmacKey {
  const secretBytes = typeof secret === 'string' ? Buffer.from(secret) : secret;
  // A secret longer than a block is replaced by its digest.
  const key = secretBytes.length > blockLength ? hash('sha256', secretBytes, 'buffer') : secretBytes;
  return { innerPad: padKey(key, 0x36), outerInput: Buffer.concat([padKey(key, 0x5c), Buffer.alloc(digestLength)]) };
}

/** The key, zero-padded to one block, XORed with the pad byte. */
function padKey(key: Uint8Array, padByte: number): Buffer {
  const padded = Buffer.alloc(blockLength, padByte);
  for (const [index, byte] of key.entries()) padded[index] = padByte ^ byte;
  return padded;
}

/** Overwritten by each check. */
const computed = Buffer.alloc(digestLength);
const emptyBlock = Buffer.alloc(blockLength);

/**
 * Prepares checks of a message, of which `lead` is the beginning. The signature must be 64 hex digits. `createHmac` allocates a native object per check,
 * which costs as much as both digests. Tested against `createHmac` for arbitrary secrets and messages.
 */
export function createSignedMessage(message: Uint8Array | string, signature: string, lead = ''): SignedMessage {
  const rest = typeof message === 'string' ? Buffer.from(message) : message;
  const innerInput = Buffer.concat(lead === '' ? [emptyBlock, rest] : [emptyBlock, Buffer.from(lead), rest]);
  const expected = Buffer.from(signature, 'hex');
  return {
    length: innerInput.length,
    isSignedWith({ innerPad, outerInput }) {
      innerInput.set(innerPad);
      // As a string, a digest costs a quarter of what it costs as a buffer.
      outerInput.write(hash('sha256', innerInput, 'binary'), blockLength, 'binary');
      computed.write(hash('sha256', outerInput, 'binary'), 'binary');
      return timingSafeEqual(computed, expected);
    },
  };
}

/** A secret of any number of listings. */
export interface SigningSecret<Listing> {
  readonly key: HmacKey;
  readonly scopes: readonly SecretScope<Listing>[];
  /** The families of the scopes. */
  readonly families: ReadonlySet<Family>;
}

/** All secrets of all listings. */
export interface SecretIndex<Listing> {
  /**
   * The secrets of the path's family that are configured for one of the targets, or have signed for one before. The
   * family of a path that accepts both is null.
   */
  likely(targetIds: readonly string[], family: Family | null): readonly SigningSecret<Listing>[];
  /** Every secret. Those of the path's family come first. */
  all(family: Family | null): readonly SigningSecret<Listing>[];
  /**
   * Makes the secret likely for these targets. Only for verified deliveries: nobody else may influence the order. Helps
   * listings without a configured ID, and deliveries that name another target than their listing.
   */
  remember(targetIds: readonly string[], secret: SigningSecret<Listing>): void;
  /** The scopes of an Authorization value. The duration reveals nothing about the configured values. */
  authorize(authorization: string): readonly SecretScope<Listing>[];
}

/** Additional targets that are remembered. */
const maxRememberedTargets = 10_000;
/** Likely secrets of a target for which another one was remembered. The most recent ones stay. */
const maxSecretsPerTarget = 8;

export function indexSecrets<Listing extends WebhookListing>(
  listings: readonly (Listing & ListingSecrets)[],
  withoutSecrets: WithoutSecrets<Listing>,
): SecretIndex<Listing> {
  const { bySecret, byAuthorization } = scopesByValue(listings, withoutSecrets);
  const secrets = [...bySecret].map(([secret, scopes]) => ({
    key: createHmacKey(secret),
    scopes,
    families: new Set(scopes.map(({ family }) => family)),
  }));
  const byTarget = secretsByTarget(secrets);
  const byPath = new Map(([null, 'vote', 'premium'] as const).map((family) => [family, pathFirst(secrets, family)]));
  const digestKey = randomBytes(32);
  // A keyed digest, because a sender who knew the digest of a guess could learn from the duration of the lookup.
  const digest = (authorization: string) => createHmac('sha256', digestKey).update(authorization).digest('base64');
  const byDigest = new Map([...byAuthorization].map(([value, scopes]) => [digest(value), scopes]));

  return {
    likely(targetIds, family) {
      const likely: SigningSecret<Listing>[] = [];
      for (const id of targetIds) {
        for (const secret of byTarget.get(id) ?? []) if (isForPath(secret, family)) likely.push(secret);
      }
      return likely;
    },
    all: (family) => byPath.get(family) ?? [],
    remember(targetIds, secret) {
      for (const id of targetIds) {
        const others = (byTarget.get(id) ?? []).filter((other) => other !== secret);
        byTarget.set(id, [secret, ...others.slice(0, maxSecretsPerTarget - 1)]);
      }
    },
    authorize: (authorization) => byDigest.get(digest(authorization)) ?? [],
  };
}

function scopesByValue<Listing>(
  listings: readonly (Listing & ListingSecrets)[],
  withoutSecrets: WithoutSecrets<Listing>,
) {
  const bySecret = new Map<string, SecretScope<Listing>[]>();
  const byAuthorization = new Map<string, SecretScope<Listing>[]>();
  for (const listingWithSecrets of listings) {
    const { voteSecrets, premiumSecrets, voteAuthorization } = listingWithSecrets;
    const listing = withoutSecrets(listingWithSecrets);
    for (const secret of voteSecrets) append(bySecret, secret, { listing, family: 'vote' });
    for (const secret of premiumSecrets) append(bySecret, secret, { listing, family: 'premium' });
    if (voteAuthorization !== null) append(byAuthorization, voteAuthorization, { listing, family: 'vote' });
  }
  return { bySecret, byAuthorization };
}

/** The secrets by the configured IDs of their listings, with room for remembered targets. */
function secretsByTarget<Listing extends WebhookListing>(
  secrets: readonly SigningSecret<Listing>[],
): BoundedMap<readonly SigningSecret<Listing>[]> {
  const configured = new Map<string, SigningSecret<Listing>[]>();
  for (const secret of secrets) {
    const ids = new Set(secret.scopes.map(({ listing }) => listing.id).filter((id) => id !== null));
    for (const id of ids) append(configured, id, secret);
  }
  const byTarget = new BoundedMap<readonly SigningSecret<Listing>[]>(configured.size + maxRememberedTargets);
  for (const [id, ofTarget] of configured) byTarget.set(id, ofTarget);
  return byTarget;
}

function append<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function pathFirst<Listing>(
  secrets: readonly SigningSecret<Listing>[],
  family: Family | null,
): SigningSecret<Listing>[] {
  return secrets.toSorted((a, b) => Number(isForPath(b, family)) - Number(isForPath(a, family)));
}

function isForPath({ families }: Pick<SigningSecret<unknown>, 'families'>, family: Family | null): boolean {
  return family === null || families.has(family);
}
