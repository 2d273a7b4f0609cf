import type { Event, EventTarget } from '../../webhook/event.ts';
import { quarantineReasons } from '../../webhook/rejections.ts';
import type { SitePayload } from '../../webhook/sites/read-delivery.ts';
import { identityOf } from '../tally/listing-context.ts';
import type { RoutedDelivery } from '../tally/tally.ts';
import type { ListingScope, ResolvableListing } from './listing.ts';

/** Assigns a payload to a listing. Used for new deliveries and for replays of quarantined ones. */
export function routeDelivery(
  payload: SitePayload,
  scopes: readonly [ListingScope, ...ListingScope[]],
): RoutedDelivery {
  const listings = scopes.map(({ listing }) => listing);
  switch (payload.type) {
    case 'event':
      return routeEvent(payload.event, listings);
    case 'test': {
      const { kind, userId, target } = payload;
      // A test checks the connection, so any listing of the secret will do.
      const listing = resolveListing(listings, target) ?? listings[0];
      return listing === undefined
        ? quarantine(kind, quarantineReasons.noListing, listings)
        : { type: 'test', test: { kind, userId }, listing };
    }
    case 'ignored':
      return { type: 'ignored', kind: payload.kind, listing: scopes[0].listing.name };
    case 'unprocessable':
      return quarantine(payload.kind, payload.reason, listings);
  }
}

/**
 * A vote always states whether it is for a server or a bot. The target of a purchase is only a hint, so a secret with a
 * single listing decides, and of several the one of the stored order if the purchase names neither a server nor a bot.
 */
function routeEvent(event: Event, listings: readonly ResolvableListing[]): RoutedDelivery {
  const [first, ...others] = listings;
  const onlyListing = event.family === 'premium' && others.length === 0 ? first : undefined;
  const listing = onlyListing ?? resolveListing(listings, event.target) ?? undefined;
  const isCertain = listing !== undefined && (listing === onlyListing || event.target.kind !== null);
  if (event.family === 'premium' && event.orderIds.length > 0 && !isCertain)
    return { type: 'order', event, listings, fallback: listing?.name ?? null };
  if (listing !== undefined) return { type: 'event', event, listing };
  return quarantine(event.kind, quarantineReasons.noListing, listings);
}

/**
 * Selects the listing of an event among those of a secret: the target's kind decides between a server and a bot, its ID
 * between several of the same kind. Null if the choice is ambiguous.
 */
export function resolveListing<Listing extends Pick<ResolvableListing, 'kind' | 'id'>>(
  listings: readonly Listing[],
  target: EventTarget,
): Listing | null {
  const candidates = target.kind === null ? listings : listings.filter(({ kind }) => kind === target.kind);
  const [first, ...others] = candidates;
  if (first === undefined) return null;
  const isAmbiguous = others.some(({ kind }) => kind === first.kind);
  return isAmbiguous ? (candidates.find(({ id }) => id !== null && id === target.id) ?? null) : first;
}

function quarantine(kind: string | null, reason: string, listings: readonly ResolvableListing[]): RoutedDelivery {
  const names = new Set(listings.map(({ name }) => name));
  const [name] = names;
  const listing = names.size === 1 ? (name ?? null) : null;
  return { type: 'quarantine', kind, reason, listing, origin: listings.map(identityOf) };
}
