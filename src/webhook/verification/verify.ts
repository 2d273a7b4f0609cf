import { TallyhookError } from '@tallyhook/platform/errors';
import { maxBodyBytes } from '@tallyhook/platform/http/max-body-bytes';
import { parseJson } from '@tallyhook/platform/json';
import { hmacSha256Hex, isEqualText, sha256Hex } from '@tallyhook/platform/sha256';
import type {
  Event,
  EventKind,
  EventTarget,
  Family,
  Premium,
  PremiumKind,
  Vote,
  VoteAtSite,
  VoteKind,
} from '../event.ts';
import { createEventKeys } from '../event-key.ts';
import { type ParsedPayload, type PayloadScope, readAuthorized } from '../payload.ts';
import { isEncoded, isSignature, reserialised } from '../signed-form.ts';
import {
  type Bytes,
  type HeadersLike,
  type ReadSecrets,
  readBytes,
  readHeader,
  readOptions,
  readSecrets,
  type Secret,
  type SiteSecrets,
  textOf,
  tooLargeError,
  type VerifyOptions,
  type WebhookSecrets,
} from './request.ts';
import { VerificationError } from './verification-error.ts';

/** A `Request`, a request of Node or Express, an event of AWS Lambda or Netlify, or headers and body. */
export interface DeliveryRequest {
  readonly headers: HeadersLike;
  /**
   * A text, bytes, a stream of bytes, or the parsed JSON. Best as it was received: a parsed body has lost its layout, so
   * its signature is valid only if the service signs what `JSON.stringify` writes.
   */
  readonly body?: unknown;
  /** The text or bytes before a parser has read them, of Nest and of cloud functions. Takes precedence over `body`. */
  readonly rawBody?: unknown;
  /** The headers of an event of AWS behind a load balancer, in place of `headers`. */
  readonly multiValueHeaders?: HeadersLike;
  /** True if `body` is a text in base64, as in events of AWS (API Gateway, function URLs, ALB), Netlify and Yandex. */
  readonly isBase64Encoded?: boolean;
  /** Must be POST if it is present. */
  readonly method?: string | undefined;
  /** True if a `Request` was read before. */
  readonly bodyUsed?: boolean;
}

/**
 * Verifies the signature of a delivery and parses its event. It accepts and rejects what the receiver accepts and
 * rejects, and runs wherever Web Crypto does: Node, Deno, Bun, Cloudflare Workers. It reads the body of the request.
 *
 * A captured delivery can be sent again, and the service repeats what was not answered with 2xx in about 10 s. Process
 * each event once: store its `key`. `maxAgeMs` limits for how long keys must be kept.
 *
 * @param secrets one vote secret or several, or the secrets of both kinds of webhooks; without any, nothing is accepted
 * @returns a vote, a premium event, or a test from the dashboard (`type`)
 * @throws VerificationError with a `code` and the `status` of the response; never with a secret or a part of the body
 * @throws TallyhookError `invalid_options` for an argument that is not a request, an invalid option, or an unknown secret
 *
 * @example
 * ```ts
 * import { VerificationError, verify } from 'tallyhook/verify';
 *
 * export default {
 *   async fetch(request: Request, env: { VOTE_SECRET: string }): Promise<Response> {
 *     try {
 *       const event = await verify(request, env.VOTE_SECRET);
 *       if (event.type === 'vote') console.log(`${event.userId} voted`);
 *       return new Response(null, { status: 204 });
 *     } catch (error) {
 *       if (!(error instanceof VerificationError)) throw error;
 *       return new Response(error.message, { status: error.status });
 *     }
 *   },
 * };
 * ```
 */
export async function verify(
  request: DeliveryRequest,
  secrets: Secret | WebhookSecrets,
  options?: VerifyOptions,
): Promise<VerifiedEvent>;
/**
 * Verifies a delivery of another listing site, by its scheme. The option `kind` is what the webhook is for; by default
 * what the delivery says.
 *
 * @param secrets the site and the secrets of the listing
 * @returns a vote, a test, or another event of the site (`type` is `ignored`)
 * @throws VerificationError as above
 * @throws TallyhookError `sites_not_bundled` in a bundle for a browser, whose pages receive no webhooks
 *
 * @example
 * ```ts
 * import { verify } from 'tallyhook/verify';
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const event = await verify(request, { site: 'topgg', secrets: process.env['TOPGG_SECRET'] });
 *   if (event.type === 'vote') console.log(`${event.userId} voted`);
 *   return new Response(null, { status: 204 });
 * }
 * ```
 */
export async function verify(
  request: DeliveryRequest,
  secrets: SiteSecrets,
  options?: VerifyOptions,
): Promise<VerifiedSiteEvent>;
export async function verify(
  given: DeliveryRequest,
  secrets: Secret | WebhookSecrets | SiteSecrets,
  options: VerifyOptions = {},
): Promise<VerifiedEvent | VerifiedSiteEvent> {
  const request = withHeaders(given);
  const { kind, now, maxAgeMs } = readOptions(options);
  if (isOfSite(secrets)) return verifyOfSite(request, secrets, { kind: options.kind ?? null, now, maxAgeMs });
  const read = readSecrets(secrets);
  const bytes = await bytesOf(request, maxBodyBytes);
  const sender = await authenticateOrExplain(request, bytes, read, now);
  const authorized = readAuthorized(
    sender,
    { scopes: scopesOf(sender.families, kind), signed: sender.signed, pathFamily: null },
    now,
  );
  if (typeof authorized === 'string') throw new VerificationError(authorized);
  return toEvent(authorized.payload, sender.text, { now, maxAgeMs });
}

/** @throws VerificationError, which names the site that the delivery is from if it is another one */
async function authenticateOrExplain(
  { headers }: DeliveryRequest,
  bytes: Bytes | null,
  secrets: ReadSecrets,
  now: number,
): Promise<Sender> {
  try {
    return authenticate(headers, bytes, secrets);
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    const { explainSender } = await import('./site-sender.ts');
    const message = error.message + explainSender(headers, textOf(bytes), now);
    throw new VerificationError(error.code, { message });
  }
}

interface Sender {
  /** Families that the secret authorizes. */
  readonly families: readonly Family[];
  /** By a secret, not by the header `Authorization`. */
  readonly signed: boolean;
  /** The text that the signature covers. */
  readonly text: string;
  /** The parsed text; undefined if it is not JSON. */
  readonly json: unknown;
}

/**
 * From headers and bytes to the sender.
 * @param bytes null for a parsed body that cannot be serialised, so that no signature is valid
 * @throws VerificationError
 */
function authenticate(headers: HeadersLike, bytes: Bytes | null, secrets: ReadSecrets): Sender {
  const signature = readHeader(headers, 'x-webhook-signature');
  if (signature !== undefined && !isSignature(signature)) throw new VerificationError('webhook_signature_malformed');
  if (bytes === null) throw new VerificationError('webhook_signature_mismatch');
  const text = textOf(bytes);
  const received = { text, json: parseJson(text), bytes };
  if (signature === undefined) {
    const authorization = readHeader(headers, 'authorization');
    const isAuthorized =
      secrets.authorization !== null &&
      authorization !== undefined &&
      isEqualText(secrets.authorization, authorization);
    if (!isAuthorized) throw new VerificationError('webhook_signature_missing');
    return { families: ['vote'], signed: false, text, json: received.json };
  }
  const forms = [received, ...serialisedForm(received)];
  for (const [secret, families] of secrets.familiesOf) {
    for (const form of forms) {
      if (isEqualText(hmacSha256Hex(secret, form.bytes), signature)) return { families, signed: true, ...form };
    }
  }
  throw new VerificationError('webhook_signature_mismatch');
}

/** Empty if it is the same text, or the body cannot be serialised again. */
function serialisedForm({ text, json }: { readonly text: string; readonly json: unknown }) {
  const serialised = reserialised(json);
  if (serialised === null || serialised === text) return [];
  // Parsed again, because not every number survives: 1e400 is serialised as null.
  return [{ text: serialised, json: parseJson(serialised), bytes: new TextEncoder().encode(serialised) }];
}

async function verifyOfSite(
  request: DeliveryRequest,
  given: SiteSecrets,
  { kind, now, maxAgeMs }: Required<VerifyOptions>,
): Promise<VerifiedSiteEvent | VerifiedEvent> {
  // Loaded when it is needed: the sites are as much code as everything else.
  const { readSiteDelivery, readSiteSecrets } = await import('./site-sender.ts');
  const { site, secrets } = readSiteSecrets(given);
  const bytes = await bytesOf(request, site.maxBodyBytes ?? maxBodyBytes);
  const listing = { kind, id: given.id || null, now };
  const { payload, raw } = readSiteDelivery(site, { headers: request.headers, bytes, secrets }, listing);
  return payload.type === 'ignored' ? { ...payload, key: null, raw } : toEvent(payload, raw, { now, maxAgeMs });
}

function isOfSite(secrets: Secret | WebhookSecrets | SiteSecrets): secrets is SiteSecrets {
  return typeof secrets === 'object' && secrets !== null && 'site' in secrets;
}

async function bytesOf(request: DeliveryRequest, maxBytes: number): Promise<Bytes | null> {
  if (request.method !== undefined && request.method !== 'POST') throw new VerificationError('webhook_method');
  if (isEncoded(readHeader(request.headers, 'content-encoding'))) throw new VerificationError('webhook_body_encoded');
  return bodyOf(request, maxBytes);
}

function toEvent(
  payload: ParsedPayload,
  raw: string,
  { now, maxAgeMs }: { readonly now: number; readonly maxAgeMs: number },
): VerifiedEvent {
  if (payload.type === 'unprocessable')
    throw new VerificationError('webhook_unprocessable', { reason: payload.reason, raw });
  const event = describeEvent(payload, raw, now);
  if (event.type !== 'test' && maxAgeMs !== Number.POSITIVE_INFINITY) checkAge(event.at, { now, maxAgeMs, raw });
  return event;
}

function checkAge(at: number | null, { now, maxAgeMs, raw }: { now: number; maxAgeMs: number; raw: string }): void {
  if (at === null) throw new VerificationError('webhook_too_old', { reason: 'it states no time', raw });
  if (now - at > maxAgeMs)
    throw new VerificationError('webhook_too_old', { reason: `it is of ${new Date(at).toISOString()}`, raw });
}

/**
 * The request; an event of AWS may have its headers as lists alone. Callers without a type checker may pass something else.
 * @throws TallyhookError `invalid_options`
 */
function withHeaders(request: DeliveryRequest): DeliveryRequest {
  const isObject = typeof request === 'object' && request !== null;
  const headers = isObject ? (request.headers ?? request.multiValueHeaders) : undefined;
  if (isObject && typeof headers === 'object') return request.headers ? request : { ...request, headers };
  const inner = isObject ? Object.entries(request).find(([, value]) => Object(value).headers) : undefined;
  const hint =
    inner === undefined
      ? 'Pass a Request, a request of Node or Express, an event of AWS, or { headers, body }.'
      : `Its property ${inner[0]} is one: pass that, as in verify(c.req.raw, secret).`;
  throw new TallyhookError('invalid_options', 'The first argument of verify is not a request: it has no headers.', {
    hint,
  });
}

async function bodyOf(request: DeliveryRequest, maxBytes: number): Promise<Bytes | null> {
  const { bodyUsed, headers } = request;
  const body = request.rawBody ?? decoded(request);
  if (bodyUsed === true) throw new VerificationError('webhook_body_unavailable');
  if (Number(readHeader(headers, 'content-length')) > maxBytes) throw tooLargeError(maxBytes);
  // A `Request` without a body.
  if (body === null && bodyUsed === false) return new Uint8Array();
  // A request of Node is its own stream.
  return readBytes(body === undefined && isUnreadStream(request) ? request : body, maxBytes);
}

function decoded({ body, isBase64Encoded }: DeliveryRequest): unknown {
  if (typeof body !== 'string') return body;
  if (isBase64Encoded === true) return decodeBase64(body);
  // JSON of an object in base64.
  if (!/^ey[\w+/]+=*$/.test(body)) return body;
  throw new VerificationError('webhook_signature_mismatch', {
    message: 'The body is in base64: decode it, or pass the whole event.',
  });
}

function decodeBase64(text: string): Bytes {
  try {
    return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  } catch {
    throw new VerificationError('webhook_body_unavailable');
  }
}

function isUnreadStream(request: object): boolean {
  return Symbol.asyncIterator in request && !('readableDidRead' in request && request.readableDidRead === true);
}

function scopesOf(families: readonly Family[], kind: 'server' | 'bot' | null): PayloadScope[] {
  const kinds = kind === null ? (['server', 'bot'] as const) : [kind];
  return families.flatMap((family) =>
    kinds.map((each) => ({ family, listing: { name: each, kind: each, implied: false } })),
  );
}

/*
 * The events of `verify`, in the words of the events of handlers. The program's own have the words of the payload.
 */

/** The server or bot on the listing site that an event is for. */
export interface EventListing {
  /** Null if a purchase names neither. */
  readonly kind: 'server' | 'bot' | null;
  /** The id in the payload, usually the Discord ID; null if missing. */
  readonly id: string | null;
}

/** The fields of every event. */
export interface VerifiedFields {
  readonly listing: EventListing;
  /**
   * The idempotency key, 32 hex digits: the same for every delivery of the same event, and for no other event. Store it
   * with what you do for the event, to do that once; if you verify deliveries of several owners, with whose secret it was:
   * one owner can name the orders of another. Null if nothing identifies the event: a test, a vote without a
   * time (the same member's next vote cannot be earlier than the cooldown), or a purchase with neither order nor time.
   */
  readonly key: string | null;
  /** The text of the body, which the signature covers. */
  readonly raw: string;
}

/** A vote of a user. */
export interface VerifiedVote extends VerifiedFields {
  readonly type: 'vote';
  /** The kind of the vote by its name in the payload: `server_vote` or `bot_vote`. */
  readonly kind: VoteKind;
  /** The voter (Discord ID). */
  readonly userId: string;
  /** Time of the vote (ms since the epoch); null if the service did not send one. */
  readonly at: number | null;
  /** Credits that the vote earns by the service: a whole number, 0 if it is denied; null if it leaves that to you. */
  readonly credits: number | null;
  /** True if the service denied the credits, for example because of an ad blocker. It counts as a vote. */
  readonly denied: boolean;
  /** The service's reason for that; null if it is not denied or gave none. An external text: escape it. */
  readonly reason: string | null;
  /** The details of a vote on another listing site. */
  readonly atSite?: VoteAtSite;
}

/** A purchase, renewal, expiry or revocation of premium. */
export interface VerifiedPremium extends VerifiedFields {
  readonly type: 'premium';
  /**
   * The event by its name in the payload: `premium_purchase`, `subscription.renewed`, `subscription.expired`,
   * `subscription.revoked`.
   */
  readonly kind: PremiumKind;
  /**
   * The holder (Discord ID): the recipient of a gift, otherwise the buyer. Null if the payload does not say; then the
   * holder is that of the order. A renewal of a gift may name its buyer alone: compare `orderIds` with the purchase.
   */
  readonly userId: string | null;
  /** The giver of a gift (Discord ID); null if it is not a gift, or the giver is unknown. */
  readonly giftedBy: string | null;
  /** The IDs of the order, any of which identifies it. Empty if missing. */
  readonly orderIds: readonly string[];
  /** The name or ID of the tier at the service. An external text: escape it. */
  readonly tier: string | null;
  /** Time of the event (ms since the epoch); null if the service did not send one. */
  readonly at: number | null;
  /** End of the paid period (ms since the epoch); null if missing. */
  readonly periodEnd: number | null;
  /** Whole credits that it earns by the service; null if it leaves that to you. */
  readonly credits: number | null;
}

/** A test that the owner has sent from the dashboard of the service. It must not pay anything. */
export interface VerifiedTest extends VerifiedFields {
  readonly type: 'test';
  /** The kind of event that it simulates. */
  readonly kind: EventKind;
  /** Null if the test names no user. */
  readonly userId: string | null;
  readonly key: null;
}

/** Another event of a listing site, such as a review or a downvote, which is worth nothing. Respond with 200. */
export interface VerifiedOther {
  readonly type: 'ignored';
  /** The event by the site's name for it. An external text: escape it. */
  readonly kind: string;
  readonly key: null;
  readonly raw: string;
}

/** The content of a genuine delivery. `type` tells votes, premium events and tests apart. */
export type VerifiedEvent = VerifiedVote | VerifiedPremium | VerifiedTest;
/** The content of a genuine delivery of another site. `type` tells votes, tests and other events apart. */
export type VerifiedSiteEvent = VerifiedVote | VerifiedTest | VerifiedOther;

const { voteKeys, premiumKeys } = createEventKeys((_algorithm, text) => sha256Hex(text));

/** The event of a payload that can be processed. @param receivedAt ms since the epoch */
function describeEvent(
  payload: Extract<ParsedPayload, { type: 'event' | 'test' }>,
  raw: string,
  receivedAt: number,
): VerifiedEvent {
  if (payload.type === 'event') return describe(payload.event, raw, receivedAt);
  const { kind, userId, target } = payload;
  return { type: 'test', kind, listing: target, userId, key: null, raw };
}

function describe(event: Event, raw: string, receivedAt: number): VerifiedVote | VerifiedPremium {
  const { target: listing, creditsAwarded, at } = event;
  const credits = typeof creditsAwarded === 'number' ? creditsAwarded : null;
  if (event.family === 'vote') {
    const { kind, userId, denial } = event;
    const denied = isDenied(event);
    const { atSite } = event;
    // The last key is that of the site's own ID, if there is one.
    const isIdentified = at !== null || (atSite?.id ?? null) !== null;
    const key = isIdentified ? (voteKeys(event, nameOf(listing), receivedAt).at(-1) ?? null) : null;
    const amounts = { credits: denied ? 0 : credits, denied, reason: denied ? denial : null };
    return { type: 'vote', kind, listing, userId, at, ...amounts, key, raw, ...(atSite && { atSite }) };
  }
  const { kind, userId, giftedBy, orderIds, tier, periodEnd } = event;
  const key = isIdentified(event) ? premiumKeys(event, orderIds, { community: '', body: raw, receivedAt })[0] : null;
  return { type: 'premium', kind, listing, userId, giftedBy, orderIds, tier, at, periodEnd, credits, key, raw };
}

/** True if the vote is denied, by the rule of `decideVoteReward`. */
function isDenied({ creditsAwarded, denial }: Vote): boolean {
  return creditsAwarded === false || (creditsAwarded === null && denial !== null);
}

/** A stable name for the listing, in place of the one that it has in a configuration. */
function nameOf({ kind, id }: EventTarget): string {
  return `${kind} ${id}`;
}

/** Otherwise the key would be that of the day of receipt. */
function isIdentified({ orderIds, at, periodEnd }: Premium): boolean {
  return orderIds.length > 0 || at !== null || periodEnd !== null;
}
