import type { Event } from '../ledger/event.ts';
import { noListingReason, type RoutedDelivery } from '../tally/routed-delivery.ts';
import type { SecretScope } from './keyring.ts';
import type { ParsedPayload } from './payload.ts';
import { type ResolvableListing, resolveListing } from './resolve-listing.ts';

/** What was read, addressed to the listing that is meant. Shared with the replay of a quarantined delivery. */
export function routeDelivery(reading: ParsedPayload, scopes: readonly SecretScope[]): RoutedDelivery {
  const listings = scopes.map(({ listing }) => listing);
  switch (reading.type) {
    case 'event':
      return meaningOfEvent(reading.event, listings);
    case 'test': {
      const { kind, userId, target } = reading;
      // It is to prove that the way is open, whichever listing it goes to.
      const listing = resolveListing(listings, target) ?? listings[0];
      return listing === undefined
        ? unclear(kind, noListingReason, listings)
        : { type: 'test', test: { kind, userId }, listing };
    }
    case 'unknown':
      return unclear(reading.kind, reading.reason, listings);
  }
}

/**
 * A vote says for certain whether a server or a bot is meant. What a purchase says of its target is a hint, so where the secret serves one
 * listing alone it is that one.
 */
function meaningOfEvent(event: Event, listings: readonly ResolvableListing[]): RoutedDelivery {
  const [first, ...others] = listings;
  const sole = event.family === 'premium' && others.length === 0 ? first : undefined;
  const listing = resolveListing(listings, event.target) ?? sole;
  if (listing !== undefined) return { type: 'event', event, listing };
  if (event.family === 'premium' && event.orderIds.length > 0) return { type: 'of order', event, listings };
  return unclear(event.kind, noListingReason, listings);
}

function unclear(kind: string | null, reason: string, listings: readonly ResolvableListing[]): RoutedDelivery {
  const names = new Set(listings.map(({ name }) => name));
  const [name] = names;
  return { type: 'unclear', kind, reason, listing: names.size === 1 ? (name ?? null) : null };
}
