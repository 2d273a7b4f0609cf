import { parseJson } from '@tallyhook/platform/json';
import type { Family } from './event.ts';
import { readTargetIds } from './fields.ts';
import type { ListingSecrets, SecretScope, WebhookListing, WithoutSecrets } from './listing.ts';
import {
  createSignedMessage,
  indexSecrets,
  type SecretIndex,
  type SignedMessage,
  type SigningSecret,
} from './secret-index.ts';
import { isSignature, reserialised } from './signed-form.ts';
import { createTurns } from './turns.ts';

interface Entry<Listing> {
  readonly listing: Listing & ListingSecrets;
  /** Computed for the first delivery: among thousands of listings, a few get deliveries between two changes. */
  index: SecretIndex<Listing> | undefined;
}

/** The secrets of each listing alone, by its name. */
function createListingIndexes<Listing extends WebhookListing>(
  listings: readonly (Listing & ListingSecrets)[],
  withoutSecrets: WithoutSecrets<Listing>,
) {
  let entries: ReadonlyMap<string, Entry<Listing>> = new Map();
  replace(listings);

  /** Keeps what it has of listings that are the same objects. */
  function replace(next: readonly (Listing & ListingSecrets)[]): void {
    const earlier = entries;
    const entryOf = (listing: Listing & ListingSecrets): Entry<Listing> => {
      const known = earlier.get(listing.name);
      return known?.listing === listing ? known : { listing, index: undefined };
    };
    entries = new Map(next.map((listing) => [listing.name, entryOf(listing)]));
  }

  return {
    has: (name: string) => entries.has(name),
    get(name: string): SecretIndex<Listing> | undefined {
      const entry = entries.get(name);
      if (entry !== undefined) entry.index ??= indexSecrets([entry.listing], withoutSecrets);
      return entry?.index;
    },
    replace,
  };
}

/** A body that is not authenticated yet. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed text; undefined if it is not JSON. */
  readonly json: unknown;
}

/** A delivery with a valid signature: the scopes of its secret, and the text that was signed. */
export interface Verified<Listing> {
  readonly scopes: readonly SecretScope<Listing>[];
  readonly text: string;
  /** The parsed text; undefined if it is not JSON. */
  readonly json: unknown;
}

/** Authenticates deliveries. Compares in constant time and never throws. */
export interface Keyring<Listing> {
  /**
   * Null if no secret of any listing matches the signature, neither of the bytes nor of their JSON (document, section
   * 5.7). The family is that of the path; it and the targets in the body only decide which secrets are tried first.
   * `busy` if the search takes long and too many deliveries wait for theirs.
   * @param listing the name of the only listing whose secrets are tried; null for the shared addresses
   */
  verify(
    body: ReceivedBody,
    signature: string,
    family: Family | null,
    listing?: string | null,
  ): Promise<Verified<Listing> | 'busy' | null>;
  /** The vote scopes of an Authorization value, for listings that accept unsigned votes. */
  authorize(authorization: string, listing?: string | null): readonly SecretScope<Listing>[];
  /** Whether there is a listing with this name. */
  has(listing: string): boolean;
  /** Replaces all secrets. Each delivery is checked either against the previous or against the new set. */
  replace(listings: readonly (Listing & ListingSecrets)[]): void;
}

/**
 * Bytes that a delivery may have digested before it waits for its turn: about a hundred secrets for a body of ordinary
 * size, less than 0.1 ms. Thus a flood of forged deliveries does not delay the others, however many secrets there are.
 */
const bytesPerTurn = 32 * 1024;
/** Bytes of all deliveries that wait for their turn. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** A keyring over all secrets of all listings. Without any secret it rejects everything: there is no default secret. */
export function createKeyring<Listing extends WebhookListing>(
  listings: readonly (Listing & ListingSecrets)[],
  withoutSecrets: WithoutSecrets<Listing>,
): Keyring<Listing> {
  let shared = listings.filter(({ linked }) => !linked);
  let sharedIndex = indexSecrets(shared, withoutSecrets);
  const byListing = createListingIndexes(listings, withoutSecrets);
  const turns = createTurns(maxWaitingBytes);

  function indexOf(listing: string | null): SecretIndex<Listing> | undefined {
    return listing === null ? sharedIndex : byListing.get(listing);
  }

  async function search(
    received: SignedForm,
    signature: string,
    candidates: Candidates<Listing>,
  ): Promise<Verified<Listing> | 'busy' | null> {
    const { likely, targetIds } = candidates;
    let digested = 0;
    for (const { secret, form } of attempts(received, signature, candidates)) {
      if (form.message.isSignedWith(secret.key)) {
        if (!likely.includes(secret)) candidates.index.remember(targetIds, secret);
        return verified(form, secret);
      }
      digested += form.message.length;
      if (digested < bytesPerTurn) continue;
      if (!(await turns.next(received.text.length))) return 'busy';
      digested = 0;
    }
    return null;
  }

  return {
    async verify(body, signature, family, listing = null) {
      const index = indexOf(listing);
      if (!isSignature(signature) || index === undefined) return null;
      const { text, json } = body;
      const received = { text, json, message: createSignedMessage(body.bytes, signature) };
      const targetIds = readTargetIds(body.json);
      const likely = index.likely(targetIds, family);
      for (const secret of likely) if (received.message.isSignedWith(secret.key)) return verified(received, secret);
      return search(received, signature, { index, likely, targetIds, family });
    },
    authorize: (authorization, listing = null) => indexOf(listing)?.authorize(authorization) ?? [],
    has: byListing.has,
    replace(next) {
      byListing.replace(next);
      const nextShared = next.filter(({ linked }) => !linked);
      // A change of a linked listing must not cost an index of all others.
      if (nextShared.length === shared.length && nextShared.every((each, position) => each === shared[position]))
        return;
      shared = nextShared;
      sharedIndex = indexSecrets(shared, withoutSecrets);
    },
  };
}

/** A text that the signature may cover. */
interface SignedForm {
  readonly text: string;
  readonly json: unknown;
  readonly message: SignedMessage;
}

interface Candidates<Listing> {
  readonly index: SecretIndex<Listing>;
  /** Tried with the received form already. */
  readonly likely: readonly SigningSecret<Listing>[];
  readonly targetIds: readonly string[];
  readonly family: Family | null;
}

function verified<Listing>({ text, json }: SignedForm, { scopes }: SigningSecret<Listing>): Verified<Listing> {
  return { scopes, text, json };
}

/** Every secret with both forms of the body, apart from what was tried already. */
function* attempts<Listing>(received: SignedForm, signature: string, { index, likely, family }: Candidates<Listing>) {
  const serialised = serialisedForm(received, signature);
  if (serialised !== null) for (const secret of likely) yield { secret, form: serialised };
  const others = index.all(family).filter((secret) => !likely.includes(secret));
  for (const form of serialised === null ? [received] : [received, serialised]) {
    for (const secret of others) yield { secret, form };
  }
}

/** Null if it is the same text, or the body cannot be serialised again. */
function serialisedForm({ text, json }: SignedForm, signature: string): SignedForm | null {
  const serialised = reserialised(json);
  if (serialised === null || serialised === text) return null;
  // Parsed again, because not every number survives: 1e400 is serialised as null.
  return { text: serialised, json: parseJson(serialised), message: createSignedMessage(serialised, signature) };
}
