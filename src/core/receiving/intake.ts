import type { Clock } from '@tallyhook/platform/clock';
import { formatWait, hour, minute } from '@tallyhook/platform/durations';
import { StoreUnavailableError, TallyhookError } from '@tallyhook/platform/errors';
import { maxBodyBytes } from '@tallyhook/platform/http/max-body-bytes';
import { isObject, parseJson } from '@tallyhook/platform/json';
import type { Log } from '@tallyhook/platform/log';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { createThrottledLog, type LogThrottled } from '@tallyhook/platform/throttled-log';
import type { DeliveryQuota } from '../../webhook/delivery-quota.ts';
import type { Family } from '../../webhook/event.ts';
import { readAuthorized } from '../../webhook/payload.ts';
import {
  type PayloadRejection,
  quarantineReasons,
  type RejectionCode,
  rejections,
  tooLarge,
} from '../../webhook/rejections.ts';
import { describeBody, isProbe, type WebhookResponse } from '../../webhook/response.ts';
import { joinHeader } from '../../webhook/signed-form.ts';
import { authenticate, rejectByHeaders } from '../../webhook/sites/authenticate.ts';
import { findSite, service } from '../../webhook/sites/index.ts';
import { readDelivery, type SitePayload } from '../../webhook/sites/read-delivery.ts';
import { explainSite, recogniseSite } from '../../webhook/sites/recognise.ts';
import {
  type AuthenticDelivery,
  type Credentials,
  isOldSignature,
  oldSignature,
  type ReadHeader,
  token,
  type Unauthentic,
} from '../../webhook/sites/scheme.ts';
import type { Site } from '../../webhook/sites/site.ts';
import type { QueueName } from '../outbox/queue.ts';
import { identityOf } from '../tally/listing-context.ts';
import { queuesOf } from '../tally/queues.ts';
import type { Recorder } from '../tally/recorder.ts';
import type { Delivery, RecordedDelivery, RoutedDelivery } from '../tally/tally.ts';
import { type ListingScope, type ListingWithSecrets, type ResolvableListing, withoutSecrets } from './listing.ts';
import { routeDelivery, withDueTime } from './routing.ts';

/** Where deliveries arrive: at the address of a listing, or at the shared ones of all listings of the service. */
export interface Address {
  /** Null for the shared addresses. */
  readonly listing: ListingWithSecrets | null;
  readonly site: Site;
  readonly credentials: Required<Credentials>;
  /** By the place of the secret: one listing, or several that share it. */
  readonly scopesOfSecrets: readonly Scopes[];
  /** By the place of the authorization. */
  readonly scopesOfAuthorizations: readonly Scopes[];
}

type Scopes = readonly ListingScope[];

/** The listings as they are configured now. */
export interface ReceivingListings {
  /** One array as long as nothing has changed. */
  readonly listings: readonly ListingWithSecrets[];
  find(name: string): ListingWithSecrets | undefined;
}

/** Computed for the first delivery: among thousands of listings, a few get deliveries between two changes. */
const addressOfListing = memoizeOne((listing: ListingWithSecrets): Address => {
  const site = listing.site === undefined ? service : findSite(listing.site);
  return { listing, site, ...secretsOf([listing]) };
});

const sharedAddress = memoizeOne((listings: readonly ListingWithSecrets[]): Address => {
  const shared = listings.filter(({ site, ownAddress }) => site === undefined && !ownAddress);
  return { listing: null, site: service, ...secretsOf(shared) };
});

/** @param name of a listing; null for the shared addresses. Undefined without such a listing */
export function findAddress(directory: ReceivingListings, name: string | null): Address | undefined {
  if (name === null) return sharedAddress(directory.listings);
  const listing = directory.find(name);
  return listing && addressOfListing(listing);
}

/** Each scope has the same listing object for every delivery, which is sent to the writer once. */
function secretsOf(listings: readonly ListingWithSecrets[]): Omit<Address, 'listing' | 'site'> {
  const secrets = new Map<string, Scopes>();
  const authorizations = new Map<string, Scopes>();
  for (const listingWithSecrets of listings) {
    const { voteSecrets, premiumSecrets, voteAuthorization } = listingWithSecrets;
    const listing = withoutSecrets(listingWithSecrets);
    for (const secret of voteSecrets) append(secrets, secret, { listing, family: 'vote' });
    for (const secret of premiumSecrets) append(secrets, secret, { listing, family: 'premium' });
    if (voteAuthorization !== null) append(authorizations, voteAuthorization, { listing, family: 'vote' });
  }
  return {
    credentials: { secrets: [...secrets.keys()], authorizations: [...authorizations.keys()] },
    scopesOfSecrets: [...secrets.values()],
    scopesOfAuthorizations: [...authorizations.values()],
  };
}

function append(scopes: Map<string, Scopes>, secret: string, scope: ListingScope): void {
  const known = scopes.get(secret) ?? [];
  const isRepeated = known.some(({ listing, family }) => listing === scope.listing && family === scope.family);
  if (!isRepeated) scopes.set(secret, [...known, scope]);
}

/** A delivery apart from its body. */
export interface DeliveryHead {
  readonly address: Address;
  /** The family of the path; null for a path that accepts both. */
  readonly family: Family | null;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** W3C `traceparent` of the span of the delivery; missing without tracing. */
  readonly traceparent?: string;
}

/** The rejection of a delivery. The code is that of an unknown sender. */
export type IntakeRejection = Exclude<WebhookResponse, { status: 200 }> & { readonly code?: RejectionCode };
type IntakeResponse = WebhookResponse | IntakeRejection;

export interface IntakeOptions {
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Log;
  /** True if a listing has secrets that this process cannot decrypt: its deliveries are to be sent again. */
  readonly isUnreadable?: (listing: string) => boolean;
  /** The limit of what a listing may send, for those whose owners are not the operator; by default of none. */
  readonly quotaOf?: (listing: string) => DeliveryQuota | undefined;
  /**
   * The Discord id of the server or bot that a listing is, to warn of deliveries that name another one; null if it is not
   * known, as by default.
   */
  readonly targetIdOf?: (listing: string) => string | null;
  readonly onRecorded?: (recorded: RecordedDelivery, queues: readonly QueueName[]) => void;
  /** Called with the duration of each commit, successful or not (ms). */
  readonly observeCommit?: (durationMs: number) => void;
}

/** In place of a signature, the service's deliveries may have an Authorization that an owner accepts. */
const receivedService: Site = {
  ...service,
  schemes: [...service.schemes, { ...token(), replacesSignature: true }],
};

const siteAt = ({ site }: Address) => (site === service ? receivedService : site);

/**
 * Takes in deliveries: each is authenticated by the scheme of the site of its address, read, routed to a listing, and
 * recorded. A {@link TallyhookError} of the recorder becomes a 503; other errors are rethrown.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #logHourly: LogThrottled;
  readonly #logQuota: LogThrottled;
  readonly #clockSuspicion: ClockSuspicion;

  constructor(options: IntakeOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#logHourly = createThrottledLog({ log, clock, intervalMs: hour });
    this.#logQuota = createThrottledLog({ log, clock, intervalMs: 10 * minute });
    this.#clockSuspicion = new ClockSuspicion(this.#logHourly);
  }

  /** The rejection of a delivery that no body can authenticate; null if the body decides. */
  rejectByHeaders(head: DeliveryHead): IntakeRejection | null {
    const { address, headers } = head;
    // Until its secrets can be read, every delivery is to be sent again.
    if (this.#isUnreadable(address)) return null;
    const now = this.#options.clock.now();
    const rejection =
      rejectFamily(head) ?? rejectByHeaders(siteAt(address), headerReader(headers), address.credentials, now);
    return rejection && this.#rejectSender(rejection, head, null);
  }

  /** Responds after the commit. An error that is neither the sender's nor the store's is thrown. */
  async accept(head: DeliveryHead, body: Buffer): Promise<IntakeResponse> {
    const { address, headers, traceparent } = head;
    const receivedAt = this.#options.clock.now();
    const delivered = { readHeader: headerReader(headers), body };
    const sender = rejectFamily(head) ?? authenticate(siteAt(address), delivered, address.credentials, receivedAt);
    if ('error' in sender) return this.#isUnreadable(address) ? unreadable : this.#rejectSender(sender, head, body);
    const json = parseJson(sender.content);
    const stored = storedBody(address, sender, json);
    if (stored === null) return { status: 413, error: tooLarge(maxBodyBytes) };
    const read = readSender(head, sender, json, receivedAt);
    if (typeof read === 'string') return { status: rejections[read].status, error: rejections[read].message };
    if (isProbe(json)) return { status: 200, outcome: 'test', arrived: describeBody(body) };
    const { payload, scopes } = read;
    const rejection = address.listing && this.#rejectByQuota(address.listing.name, Buffer.byteLength(stored));
    if (rejection !== null) return rejection;
    const delivery = { receivedAt, family: scopes[0].family, body: stored, ...(traceparent && { traceparent }) };
    const routed = routeDelivery(payload, scopes);
    this.#compareTarget(routed);
    return this.#record(
      delivery,
      isOldSignature(sender.signedAt, receivedAt) ? quarantineOld(routed) : routed,
      address,
    );
  }

  #isUnreadable({ listing }: Address): boolean {
    return listing !== null && this.#options.isUnreadable?.(listing.name) === true;
  }

  /** Names the site which a delivery is from, if that is not the one of its address. */
  #rejectSender(
    { code, error }: Unauthentic,
    { address, headers }: DeliveryHead,
    body: Buffer | null,
  ): IntakeRejection {
    const text = body?.toString('utf8') ?? null;
    const now = this.#options.clock.now();
    const sender = recogniseSite({ readHeader: headerReader(headers), body: text, now }, address.site);
    const { secrets, authorizations } = address.credentials;
    const isClosed = secrets.length + authorizations.length === 0;
    if (sender === null) return { status: 401, error: isClosed ? noCredentials : error, code };
    const hint = explainSite(sender);
    const listing = address.listing?.name ?? null;
    this.#logHourly('warn', `${listing} ${sender.id}`, wrongSite, { listing, site: sender.id, hint });
    return { status: 401, error: `${error} ${hint}` };
  }

  /** The rejection of a delivery beyond the quota of its listing; null if it is within, or there is none. */
  #rejectByQuota(listing: string, bytes: number): IntakeRejection | null {
    const retryAfterSeconds = this.#options.quotaOf?.(listing)?.take(listing, bytes) ?? null;
    if (retryAfterSeconds === null) return null;
    this.#logQuota('warn', listing, 'a listing has used up its quota: its deliveries are rejected with 503', {
      listing,
      retryAfterSeconds,
      hint: quotaHint,
    });
    return { status: 503, error: quotaExceeded, retryAfterSeconds };
  }

  /**
   * Warns of a delivery that belongs to another server or bot than the listing that its secret selects. A secret with a
   * single listing of a kind decides alone, so the id in the payload changes nothing: the warning is the only sign that two
   * webhooks were mixed up.
   */
  #compareTarget(routed: RoutedDelivery): void {
    if (routed.type !== 'event') return;
    const { kind, id: named } = routed.event.target;
    // The vendor of a purchase may be neither a server nor a bot.
    if (kind === null || named === null) return;
    const { name: listing } = routed.listing;
    const listingId = this.#options.targetIdOf?.(listing) ?? null;
    if (listingId === null || listingId === named) return;
    this.#logHourly('warn', listing, wrongTarget, { listing, listingId, named, hint: targetHint });
  }

  async #record(delivery: Delivery, routedNow: RoutedDelivery, { listing }: Address): Promise<IntakeResponse> {
    const { recorder, log, onRecorded, observeCommit } = this.#options;
    const routed = withDueTime(delivery, routedNow, listing ?? undefined);
    const startedAt = performance.now();
    let recorded: RecordedDelivery;
    try {
      recorded = await recorder.record(delivery, routed);
    } catch (error) {
      if (!(error instanceof TallyhookError)) throw error;
      const cause = error instanceof StoreUnavailableError ? String(error.cause) : undefined;
      log.error(
        { code: error.code, hint: error.hint, cause },
        'delivery could not be stored; responded with 503 so that the sender retries',
      );
      return { status: 503, error: error.message, retryAfterSeconds: 5 };
    } finally {
      observeCommit?.(performance.now() - startedAt);
    }
    logRecorded(recorded, log);
    const dueAt = routed.type === 'quarantine' ? routed.dueAt : undefined;
    const at = routed.type === 'event' ? routed.event.at : (dueAt ?? null);
    if (at !== null) this.#clockSuspicion.note(at - delivery.receivedAt, dueAt !== undefined);
    onRecorded?.(recorded, queuesOf(delivery, routed));
    return { status: 200, outcome: recorded.outcome };
  }
}

function headerReader(headers: DeliveryHead['headers']): ReadHeader {
  return (name) => joinHeader(headers[name]);
}

/** Other sites have no addresses for a family. */
function rejectFamily({ address: { site, listing }, family }: DeliveryHead): Unauthentic | null {
  if (site === service || family === null) return null;
  return { code: 'webhook_signature_missing', error: `Votes of this site are accepted at /webhooks/${listing?.name}.` };
}

interface ReadPayload {
  readonly payload: SitePayload;
  /** The scopes of the sender that cover the payload. */
  readonly scopes: readonly [ListingScope, ...ListingScope[]];
}

/**
 * Reads an authentic delivery in the words of its site; a problem if its sender may not send it.
 * @param json undefined if the content is not JSON
 */
function readSender(
  { address, family, headers }: DeliveryHead,
  { content, scheme, credential }: AuthenticDelivery,
  json: unknown,
  now: number,
): ReadPayload | PayloadRejection {
  const { site, listing, scopesOfSecrets, scopesOfAuthorizations } = address;
  if (listing === null || site === service) {
    const signed = scheme.type !== 'token';
    const scopes = (signed ? scopesOfSecrets : scopesOfAuthorizations)[credential] ?? [];
    return readAuthorized({ text: content, json }, { scopes, signed, pathFamily: family }, now);
  }
  // An address of a site that has no secrets has no scopes either.
  const scopes = [scopesOfSecrets[credential]?.[0] ?? scopeOf(listing)] as const;
  if (scheme.type === 'none') {
    const reason = `captured with the headers ${Object.keys(headers).slice(0, maxHeaderNames).join(', ')}`;
    return { payload: { type: 'unprocessable', kind: null, reason, family: 'vote' }, scopes };
  }
  if (json === undefined) return content === '' ? 'webhook_body_empty' : 'webhook_body_not_json';
  return { payload: readDelivery(site, json, listing, { now, scheme }), scopes };
}

function scopeOf(listing: ResolvableListing): ListingScope {
  return { listing: withoutSecrets(listing), family: 'vote' };
}

/** The text of an authentic delivery that is stored; null if it is too large. */
function storedBody({ site, listing }: Address, { content, scheme }: AuthenticDelivery, json: unknown): string | null {
  if (scheme.type === 'none') {
    const storable = content.replaceAll('\0', '').toWellFormed().replaceAll(credentials, '$1[secret]');
    return (listing?.voteSecrets ?? []).reduce((text, secret) => text.replaceAll(secret, '[secret]'), storable);
  }
  const stored = isObject(json) && site.condense ? JSON.stringify(site.condense(json)) : content;
  return site.maxBodyBytes !== undefined && Buffer.byteLength(stored) > maxBodyBytes ? null : stored;
}

/** Fields of bodies that are credentials. */
const credentials = /("(?:authorization|password|secret|token|api_?key)"\s{0,9}:\s{0,9}")[^"]*/gi;
const maxHeaderNames = 60;

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

/** So many deliveries in a row that are ahead of time are no error of one sender. */
const minAheadInRow = 3;

/** Notices that deliveries are ahead of time because the clock of this machine is behind. */
class ClockSuspicion {
  readonly #logHourly: LogThrottled;
  /** True after a delivery with a time that is possible by this clock. */
  #isTrusted = false;
  #inRow = 0;
  /** A delivery that is late is less ahead than the clock is behind. */
  #mostAheadMs = 0;

  constructor(logHourly: LogThrottled) {
    this.#logHourly = logHourly;
  }

  /** To be called with each authentic delivery that has a time. @param aheadMs by how much that is ahead of its receipt */
  note(aheadMs: number, isAheadOfTime: boolean): void {
    if (!isAheadOfTime) {
      this.#isTrusted = true;
      this.#inRow = 0;
      this.#mostAheadMs = 0;
      return;
    }
    this.#inRow += 1;
    this.#mostAheadMs = Math.max(this.#mostAheadMs, aheadMs);
    if (this.#isTrusted && this.#inRow < minAheadInRow) return;
    const behindBy = formatWait(this.#mostAheadMs);
    const fields = { behindBy, behindByMs: this.#mostAheadMs, deliveries: this.#inRow, hint: behindHint };
    this.#logHourly('warn', 'clock', clockBehind, fields);
  }
}

const clockBehind = 'deliveries are dated ahead of this machine: its clock may be behind';
const behindHint =
  'Compare the clock with the true time, and set it (NTP). The quarantined deliveries are recorded when it has reached their times.';

const unreadable = {
  status: 503,
  error: 'The secrets of this listing cannot be decrypted. See the log of tallyhook.',
  retryAfterSeconds: 60,
} as const;

const quotaExceeded = 'This listing has sent more deliveries in an hour than it may. Send this one again later.';
const quotaHint = 'Raise LINKED_DELIVERIES_PER_HOUR or LINKED_MIB_PER_HOUR if these deliveries are genuine votes.';

const wrongTarget = 'a delivery names another server or bot than its listing is; it counts for the listing anyway';
const targetHint =
  'If the service sends the votes of another listing here, copy the address and secret of the right listing to its webhook. ' +
  'If they are of this listing, correct its id in the settings.';

const noCredentials =
  'No secret is set for this address, so it accepts nothing. Each listing also has an address of its own, /webhooks/<name>.';
const wrongSite = 'deliveries of another site arrive at this address; they are rejected with 401';

const clockHint =
  'If there are many, the clock of this machine is behind: `tallyhook doctor` compares it with that of Discord.';

function logRecorded({ outcome, deliveryId, credits, reason }: RecordedDelivery, log: Log): void {
  const fields = { delivery: deliveryId, outcome, credits, reason };
  // A flood of votes is one line of its own.
  const hint = reason === quarantineReasons.aheadOfTime ? { hint: clockHint } : {};
  if (outcome === 'quarantined' && reason !== quarantineReasons.rateAlarm)
    log.warn({ ...fields, ...hint }, 'delivery quarantined: it is genuine, but could not be processed');
  else log.debug(fields, 'delivery recorded');
}
