import { parseJson } from '@tallyhook/platform/json';
import type { Event, EventTarget, KnownVoteKind } from '../../webhook/event.ts';
import { clockToleranceMs } from '../../webhook/fields.ts';
import { type ParsedPayload, readPayload } from '../../webhook/payload.ts';
import { quarantineReasons } from '../../webhook/rejections.ts';
import { findSite } from '../../webhook/sites/index.ts';
import { readDelivery, type SitePayload } from '../../webhook/sites/read-delivery.ts';
import { identityOf } from '../tally/listing-context.ts';
import type { Delivery, RoutedDelivery } from '../tally/tally.ts';
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

export function isOnSite<Listing extends ResolvableListing>(
  listing: Listing | undefined,
): listing is Listing & Required<Pick<Listing, 'site'>> {
  return listing?.site !== undefined;
}

/** The payload of a delivery of another site from the log. @param now in ms since the epoch */
export function readStoredSiteDelivery(
  body: string,
  { id, kind, site }: Required<Pick<ResolvableListing, 'id' | 'kind' | 'site'>>,
  now: number,
): SitePayload {
  return readDelivery(findSite(site), parseJson(body), { id, kind }, { now, scheme: null });
}

/** The payload of a delivery from the log. `now` is in ms since the epoch. */
export function readStoredPayload(
  { body, family }: Pick<Delivery, 'body' | 'family'>,
  now: number,
  defaultVote: KnownVoteKind | null = null,
): ParsedPayload {
  return readPayload(parseJson(body), { premiumPath: family === 'premium', now, defaultVote });
}

/**
 * The time of a delivery's event, also if it is ahead (ms since the epoch); infinite if the delivery has other errors, too.
 * @param listing by default one of the document's service
 */
export function eventTimeOf(
  delivery: Pick<Delivery, 'body' | 'family'>,
  listing: ResolvableListing | undefined,
): number {
  const always = Number.POSITIVE_INFINITY;
  const payload = isOnSite(listing)
    ? readStoredSiteDelivery(delivery.body, listing, always)
    : readStoredPayload(delivery, always, 'server_vote');
  return (payload.type === 'event' ? payload.event.at : null) ?? Number.POSITIVE_INFINITY;
}

/**
 * Adds when a delivery is replayed whose event is ahead: at the time of that, or at the earliest possible one if it has
 * other errors, too, since its listing may be gone by then.
 * @param listing by default one of the document's service
 */
export function withDueTime(
  delivery: Pick<Delivery, 'body' | 'family' | 'receivedAt'>,
  routed: RoutedDelivery,
  listing: ResolvableListing | undefined,
): RoutedDelivery {
  if (routed.type !== 'quarantine' || routed.reason !== quarantineReasons.aheadOfTime) return routed;
  const at = eventTimeOf(delivery, listing);
  return { ...routed, dueAt: Number.isFinite(at) ? at : delivery.receivedAt + clockToleranceMs };
}
