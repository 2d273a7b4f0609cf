import { type Meaning, noListing } from '../tally/meaning.ts';
import { type Addressable, addressee } from './addressee.ts';
import type { Grant } from './keyring.ts';
import { kindIn, type Reading } from './payload.ts';

type Readable = Exclude<Reading, { readonly is: 'unknown' }>;

/** What was read, addressed to the listing that is meant. Shared with the replay of a quarantined delivery. */
export function meaningOf(reading: Reading, grants: readonly Grant[]): Meaning {
  if (reading.is === 'unknown') return unclear(reading, reading.reason, grants);
  const listing = listingMeant(
    reading,
    grants.map((grant) => grant.listing),
  );
  if (listing === null) return withoutListing(reading, grants);
  if (reading.is === 'event') return { is: 'event', event: reading.event, listing };
  const { kind, userId } = reading;
  return { is: 'test', test: { kind, userId }, listing };
}

/**
 * A vote says for certain whether a server or a bot is meant. What a purchase says of its target is a hint, so where the secret serves one
 * listing alone it is that one; and a test is to prove that the way is open, whichever it goes to.
 */
function listingMeant(reading: Readable, listings: readonly Addressable[]): Addressable | null {
  const [first = null, ...others] = listings;
  if (reading.is === 'test') return addressee(listings, reading.target) ?? first;
  const { family, target } = reading.event;
  return addressee(listings, target) ?? (family === 'premium' && others.length === 0 ? first : null);
}

function withoutListing(reading: Readable, grants: readonly Grant[]): Meaning {
  const listings = grants.map((grant) => grant.listing);
  return reading.is === 'event' && reading.event.family === 'premium' && reading.event.orderIds.length > 0
    ? { is: 'of order', event: reading.event, listings }
    : unclear(reading, noListing, grants);
}

function unclear(reading: Reading, reason: string, grants: readonly Grant[]): Meaning {
  const names = new Set(grants.map(({ listing }) => listing.name));
  const [name] = names;
  return { is: 'unclear', kind: kindIn(reading), reason, listing: names.size === 1 ? (name ?? null) : null };
}
