import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute } from '@tallyhook/platform/durations';
import { StoreUnavailableError, TallyhookError } from '@tallyhook/platform/errors';
import { maxBodyBytes } from '@tallyhook/platform/http/max-body-bytes';
import { parseJson } from '@tallyhook/platform/json';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';
import type { DeliveryQuota } from '../../webhook/delivery-quota.ts';
import type { DeliveryCredentials, IncomingDelivery, Intake } from '../../webhook/intake.ts';
import type { Keyring, ReceivedBody, Verified } from '../../webhook/keyring.ts';
import { readAuthorized } from '../../webhook/payload.ts';
import { describeBody, isProbe } from '../../webhook/probe.ts';
import { quarantineReasons } from '../../webhook/quarantine-reasons.ts';
import { rejections } from '../../webhook/rejections.ts';
import type { WebhookResponse } from '../../webhook/response.ts';
import { isSignature } from '../../webhook/signed-form.ts';
import { explainSite, recogniseSite } from '../../webhook/sites/recognise.ts';
import { service } from '../../webhook/sites/service.ts';
import type { Site } from '../../webhook/sites/site.ts';
import { findSite } from '../../webhook/sites/site-settings.ts';
import type { QueueName } from '../outbox/queue.ts';
import { queuesOf } from '../tally/queues.ts';
import type { Recorder } from '../tally/recorder.ts';
import type { Delivery, RecordedDelivery, RoutedDelivery } from '../tally/tally.ts';
import type { ResolvableListing } from './listing.ts';
import { eventTimeOf } from './replay.ts';
import { routeDelivery } from './route-delivery.ts';
import { headerReader, readSiteDelivery, rejectSiteHeaders, type SiteListing } from './site-delivery.ts';
import { createClockSuspicion } from './suspect-clock.ts';

/**
 * Authenticates, parses, routes and records deliveries. A {@link TallyhookError} of the recorder becomes a 503; other
 * errors are rethrown.
 */
export function createIntake(options: {
  keyring: Keyring<ResolvableListing>;
  recorder: Recorder;
  clock: Clock;
  log: Log;
  /** Whether a listing has secrets that this process cannot decrypt: its deliveries are to be sent again. */
  isUnreadable?: (listing: string) => boolean;
  /** Limits the deliveries of those listings whose owners are not the operator; by default of none. */
  quota?: { readonly appliesTo: (listing: string) => boolean; readonly take: DeliveryQuota['take'] };
  /** The listing with this name if it is on another site: its deliveries have the scheme of the site. By default none. */
  findSiteListing?: (listing: string) => SiteListing | undefined;
  /**
   * The Discord id of the server or bot that a listing is, to warn of deliveries that name another one; null if it is not
   * known, as by default.
   */
  targetIdOf?: (listing: string) => string | null;
  /** Called after each commit with the queues that may have a new effect. */
  onRecorded?: (recorded: RecordedDelivery, queues: readonly QueueName[]) => void;
  /** Called with the duration of each commit, successful or not (ms). */
  observeCommit?: (durationMs: number) => void;
}): Intake {
  const { keyring, recorder, clock, log, onRecorded = () => {}, observeCommit = () => {} } = options;
  const { isUnreadable = () => false, quota, targetIdOf, findSiteListing = () => undefined } = options;
  const logThrottled = createThrottledLog({ log, clock, intervalMs: quotaLogIntervalMs });
  const suspectClock = createClockSuspicion({ clock, log });
  const logTarget = createThrottledLog({ log, clock, intervalMs: targetLogIntervalMs });
  const logSender = createThrottledLog({ log, clock, intervalMs: senderLogIntervalMs });

  /** A rejection that names the site which a delivery is from, if that is not the one of its address. */
  function rejectSender(error: string, site: Site, { headers, listing, body }: RejectedSender): WebhookResponse {
    const text = body?.toString('utf8') ?? null;
    const sender = recogniseSite({ readHeader: headerReader(headers), body: text, now: clock.now() }, site);
    if (sender === null) return { status: 401, error };
    const hint = explainSite(sender);
    logSender('warn', `${listing} ${sender.id}`, wrongSite, { listing, site: sender.id, hint });
    return { status: 401, error: `${error} ${hint}` };
  }

  function authorize(
    { text, json }: ReceivedBody,
    credentials: DeliveryCredentials,
  ): Verified<ResolvableListing> | null {
    const { authorization, listing } = credentials;
    const scopes = authorization === undefined ? [] : keyring.authorize(authorization, listing);
    return scopes.length === 0 ? null : { scopes, text, json };
  }

  /** The rejection of a delivery beyond the quota of its listing; null if it is within, or there is none. */
  function rejectByQuota(listing: string | null, bytes: number): WebhookResponse | null {
    if (quota === undefined || listing === null || !quota.appliesTo(listing)) return null;
    const retryAfterSeconds = quota.take(listing, bytes);
    if (retryAfterSeconds === null) return null;
    logThrottled('warn', listing, 'a listing has used up its quota: its deliveries are rejected with 503', {
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
  function compareTarget(routed: RoutedDelivery): void {
    if (targetIdOf === undefined || routed.type !== 'event') return;
    const { kind, id: named } = routed.event.target;
    // The vendor of a purchase may be neither a server nor a bot.
    if (kind === null || named === null) return;
    const { name: listing } = routed.listing;
    const listingId = targetIdOf(listing);
    if (listingId === null || listingId === named) return;
    logTarget('warn', listing, wrongTarget, { listing, listingId, named, hint: targetHint });
  }

  /** Compares the time of a delivery with the clock. */
  function compareTime(delivery: Delivery, routed: RoutedDelivery): void {
    const isAhead = routed.type === 'quarantine' && routed.reason === quarantineReasons.aheadOfTime;
    const listing = isAhead && routed.listing !== null ? findSiteListing(routed.listing) : undefined;
    const at = isAhead ? eventTimeOf(delivery, listing) : routed.type === 'event' ? routed.event.at : null;
    if (at !== null && Number.isFinite(at)) suspectClock(at - delivery.receivedAt, isAhead);
  }

  async function record(delivery: Delivery, routed: RoutedDelivery): Promise<WebhookResponse> {
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
      observeCommit(performance.now() - startedAt);
    }
    logRecorded(recorded, log);
    compareTime(delivery, routed);
    onRecorded(recorded, queuesOf(delivery, routed));
    return { status: 200, outcome: recorded.outcome };
  }

  async function acceptOfSite(listing: SiteListing, incoming: IncomingDelivery): Promise<WebhookResponse> {
    const read = readSiteDelivery(listing, incoming, clock.now());
    incoming.onAuthenticated?.();
    if ('status' in read && read.status === 401)
      return isUnreadable(listing.name) ? unreadable : rejectSender(read.error, findSite(listing.site), incoming);
    if ('status' in read) return read;
    return (
      rejectByQuota(listing.name, Buffer.byteLength(read.delivery.body)) ??
      record(withTrace(read.delivery, incoming), read.routed)
    );
  }

  return {
    hasListing: (name) => keyring.has(name) || findSiteListing(name) !== undefined,
    maxBodyBytes(name) {
      const site = name === null ? undefined : findSiteListing(name)?.site;
      return (site && findSite(site).maxBodyBytes) ?? maxBodyBytes;
    },
    rejectByHeaders(credentials) {
      const { signature, authorization, listing } = credentials;
      const siteListing = listing === null ? undefined : findSiteListing(listing);
      // Until its secrets can be read, every delivery is to be sent again.
      if (siteListing !== undefined) {
        const error = isUnreadable(siteListing.name) ? null : rejectSiteHeaders(siteListing, credentials, clock.now());
        return error === null ? null : rejectSender(error, findSite(siteListing.site), credentials);
      }
      const mayBeValid =
        signature === undefined
          ? authorization !== undefined && keyring.authorize(authorization, listing).length > 0
          : isSignature(signature);
      return mayBeValid ? null : rejectSender(explainRejection(credentials), service, credentials);
    },

    async accept(incoming) {
      const { signature, family: pathFamily, listing } = incoming;
      const siteListing = listing === null ? undefined : findSiteListing(listing);
      if (siteListing !== undefined) return acceptOfSite(siteListing, incoming);
      const signed = signature !== undefined;
      const body = parseBody(incoming.body);
      const sender = signed ? await keyring.verify(body, signature, pathFamily, listing) : authorize(body, incoming);
      incoming.onAuthenticated?.();
      if (sender === null && listing !== null && isUnreadable(listing)) return unreadable;
      if (sender === null) return rejectSender(explainRejection(incoming), service, incoming);
      if (sender === 'busy') return { status: 503, error: tooManySearches, retryAfterSeconds: 5 };
      const receivedAt = clock.now();
      const authorized = readAuthorized(sender, { scopes: sender.scopes, signed, pathFamily }, receivedAt);
      if (typeof authorized === 'string') {
        const { status, message } = rejections[authorized];
        return { status, error: message };
      }
      if (isProbe(sender.json)) return { status: 200, outcome: 'test', arrived: describeBody(incoming.body) };
      const rejection = rejectByQuota(listing, incoming.body.length);
      if (rejection !== null) return rejection;
      const { payload, scopes } = authorized;
      const [{ family }] = scopes;
      const routed = routeDelivery(payload, scopes);
      compareTarget(routed);
      return record(withTrace({ receivedAt, family, body: sender.text }, incoming), routed);
    },
  };
}

function withTrace(delivery: Delivery, { traceparent }: DeliveryCredentials): Delivery {
  return traceparent === undefined ? delivery : { ...delivery, traceparent };
}

const unreadable: WebhookResponse = {
  status: 503,
  error: 'The secrets of this listing cannot be decrypted. See the log of tallyhook.',
  retryAfterSeconds: 60,
};

const quotaExceeded = 'This listing has sent more deliveries in an hour than it may. Send this one again later.';
const quotaHint = 'Raise LINKED_DELIVERIES_PER_HOUR or LINKED_MIB_PER_HOUR if these deliveries are genuine votes.';
/** Shortest time between two log messages about the quota of one listing (ms). */
const quotaLogIntervalMs = 10 * minute;

const wrongTarget = 'a delivery names another server or bot than its listing is; it counts for the listing anyway';
const targetHint =
  'If the service sends the votes of another listing here, copy the address and secret of the right listing to its webhook. ' +
  'If they are of this listing, correct its id in the settings.';
/** Shortest time between two warnings about the target of one listing (ms). */
const targetLogIntervalMs = hour;

const wrongSite = 'deliveries of another site arrive at this address; they are rejected with 401';
/** Shortest time between two warnings about the deliveries of a site at the address of one listing (ms). */
const senderLogIntervalMs = hour;

/** A delivery that nothing authenticates; without its body if the headers decided. */
interface RejectedSender extends Pick<DeliveryCredentials, 'headers' | 'listing'> {
  readonly body?: Buffer;
}

const tooManySearches = 'Too many deliveries wait for the search for their secret.';

/** Parsed before authentication, because the payload names the listing whose secret is tried first. */
function parseBody(bytes: Buffer): ReceivedBody {
  const text = bytes.toString('utf8');
  return { bytes, text, json: parseJson(text) };
}

/** Names the probable mistake. */
function explainRejection({ signature }: DeliveryCredentials): string {
  if (signature === undefined) return rejections.webhook_signature_missing.message;
  if (!isSignature(signature)) return rejections.webhook_signature_malformed.message;
  return rejections.webhook_signature_mismatch.message;
}

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
