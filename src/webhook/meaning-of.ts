import type { Event } from '../ledger/event.ts';
import { type Meaning, noListing } from '../tally/meaning.ts';
import { type Addressable, addressee } from './addressee.ts';
import type { Grant } from './keyring.ts';
import type { Reading } from './payload.ts';

/** What was read, addressed to the listing that is meant. Shared with the replay of a quarantined delivery. */
export function meaningOf(reading: Reading, grants: readonly Grant[]): Meaning {
  const listings = grants.map(({ listing }) => listing);
  switch (reading.is) {
    case 'event':
      return meaningOfEvent(reading.event, listings);
    case 'test': {
      const { kind, userId, target } = reading;
      // It is to prove that the way is open, whichever listing it goes to.
      const listing = addressee(listings, target) ?? listings[0];
      return listing === undefined
        ? unclear(kind, noListing, listings)
        : { is: 'test', test: { kind, userId }, listing };
    }
    case 'unknown':
      return unclear(reading.kind, reading.reason, listings);
  }
}

/**
 * A vote says for certain whether a server or a bot is meant. What a purchase says of its target is a hint, so where the secret serves one
 * listing alone it is that one.
 */
function meaningOfEvent(event: Event, listings: readonly Addressable[]): Meaning {
  const [first, ...others] = listings;
  const sole = event.family === 'premium' && others.length === 0 ? first : undefined;
  const listing = addressee(listings, event.target) ?? sole;
  if (listing !== undefined) return { is: 'event', event, listing };
  if (event.family === 'premium' && event.orderIds.length > 0) return { is: 'of order', event, listings };
  return unclear(event.kind, noListing, listings);
}

function unclear(kind: string | null, reason: string, listings: readonly Addressable[]): Meaning {
  const names = new Set(listings.map(({ name }) => name));
  const [name] = names;
  return { is: 'unclear', kind, reason, listing: names.size === 1 ? (name ?? null) : null };
}
