import { maxBodyBytes } from '@tallyhook/platform/http/max-body-bytes';
import { parseJson } from '@tallyhook/platform/json';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { isObject } from '../../webhook/fields.ts';
import type { IncomingDelivery } from '../../webhook/intake.ts';
import { describeBody, isProbe } from '../../webhook/probe.ts';
import { rejections, tooLarge } from '../../webhook/rejections.ts';
import type { WebhookResponse } from '../../webhook/response.ts';
import { joinHeader } from '../../webhook/signed-form.ts';
import { type AuthenticDelivery, authenticate, rejectByHeaders } from '../../webhook/sites/authenticate.ts';
import { readDelivery, type SitePayload } from '../../webhook/sites/read-delivery.ts';
import type { ReadHeader } from '../../webhook/sites/scheme.ts';
import { isOldSignature, oldSignature } from '../../webhook/sites/signature-age.ts';
import { findSite } from '../../webhook/sites/site-settings.ts';
import { identityOf } from '../tally/listing-identity.ts';
import type { Delivery, RoutedDelivery } from '../tally/tally.ts';
import { type ListingWithSecrets, type ResolvableListing, withoutSecrets } from './listing.ts';
import { routeDelivery } from './route-delivery.ts';

/** A listing on another site, which has an address of its own. */
export type SiteListing = ListingWithSecrets & Required<Pick<ListingWithSecrets, 'site'>>;

/** Why no body can authenticate a delivery; null if the body decides. */
export function rejectSiteHeaders(
  listing: SiteListing,
  { headers, family }: Pick<IncomingDelivery, 'headers' | 'family'>,
  now: number,
): string | null {
  if (family !== null) return wrongAddress(listing);
  const rejection = rejectByHeaders(findSite(listing.site), headerReader(headers), listing.voteSecrets, now);
  return rejection?.error ?? null;
}

/** Other sites have no addresses for a family. */
function wrongAddress({ name }: SiteListing): string {
  return `Votes of this site are accepted at /webhooks/${name}.`;
}

/** Authenticates and reads a delivery to the address of a listing on another site. */
export function readSiteDelivery(
  listing: SiteListing,
  incoming: IncomingDelivery,
  receivedAt: number,
): WebhookResponse | { readonly delivery: Delivery; readonly routed: RoutedDelivery } {
  if (incoming.family !== null) return { status: 401, error: wrongAddress(listing) };
  const site = findSite(listing.site);
  const { headers, body } = incoming;
  const sender = authenticate(site, { readHeader: headerReader(headers), body }, listing.voteSecrets, receivedAt);
  if ('error' in sender) return { status: 401, error: sender.error };
  const json = parseJson(sender.content);
  if (isProbe(json)) return { status: 200, outcome: 'test', arrived: describeBody(body) };
  if (sender.scheme.type === 'none') return capture(listing, incoming, sender, receivedAt);
  const stored = isObject(json) && site.condense ? JSON.stringify(site.condense(json)) : sender.content;
  if (Buffer.byteLength(stored) > maxBodyBytes) return { status: 413, error: tooLarge(maxBodyBytes) };
  if (json === undefined) {
    const { status, message } = rejections[sender.content === '' ? 'webhook_body_empty' : 'webhook_body_not_json'];
    return { status, error: message };
  }
  const payload = readDelivery(site, json, listing, { now: receivedAt, scheme: sender.scheme });
  const routed = routeSitePayload(payload, listing);
  const isOld = isOldSignature(sender.signedAt, receivedAt);
  return {
    delivery: { receivedAt, family: 'vote', body: stored },
    routed: isOld ? quarantineOld(routed) : routed,
  };
}

/** Keys are permanent, so that a vote that is known is a repeat, however old its signature is. */
function quarantineOld(routed: RoutedDelivery): RoutedDelivery {
  if (routed.type !== 'event' || routed.event.family !== 'vote') return routed;
  const { event: vote, listing } = routed;
  return {
    type: 'quarantine',
    kind: vote.kind,
    reason: oldSignature,
    listing: listing.name,
    origin: [identityOf(listing)],
    unless: { vote, listing },
  };
}

/** A delivery from the log. @param now in ms since the epoch */
export function readStoredSiteDelivery(
  body: string,
  { id, kind, site }: Pick<SiteListing, 'id' | 'kind' | 'site'>,
  now: number,
): SitePayload {
  return readDelivery(findSite(site), parseJson(body), { id, kind }, { now, scheme: null });
}

export function routeSitePayload(payload: SitePayload, listing: ResolvableListing): RoutedDelivery {
  if (payload.type === 'ignored') return { type: 'ignored', kind: payload.kind, listing: listing.name };
  return routeDelivery(payload, [{ listing: contextOf(listing), family: 'vote' }]);
}

export function isOnSite<Listing extends ResolvableListing>(
  listing: Listing | undefined,
): listing is Listing & Required<Pick<Listing, 'site'>> {
  return listing?.site !== undefined;
}

/** The same object for each delivery, which is sent to the writer once. */
const contextOf = memoizeOne(withoutSecrets);

export function headerReader(headers: IncomingDelivery['headers']): ReadHeader {
  return (name) => joinHeader(headers[name]);
}

/** Fields of bodies that are credentials. */
const credentials = /("(?:authorization|password|secret|token|api_?key)"\s{0,9}:\s{0,9}")[^"]*/gi;
const maxHeaderNames = 60;

/** What a site sends that is not known: its body, and the names of its headers, without any secret. */
function capture(
  listing: SiteListing,
  { headers }: IncomingDelivery,
  { content }: AuthenticDelivery,
  receivedAt: number,
) {
  const storable = content.replaceAll('\0', '').toWellFormed().replaceAll(credentials, '$1[secret]');
  const body = listing.voteSecrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), storable);
  const names = Object.keys(headers).slice(0, maxHeaderNames);
  const reason = `captured with the headers ${names.join(', ')}`;
  const origin = [identityOf(listing)];
  const routed: RoutedDelivery = { type: 'quarantine', kind: null, reason, listing: listing.name, origin };
  return { delivery: { receivedAt, family: 'vote', body }, routed } as const;
}
