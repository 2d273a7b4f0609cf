import { TallyhookError } from '../../platform/errors.ts';
import { maxBodyBytes } from '../../platform/http/max-body-bytes.ts';
import { parseJson } from '../../platform/json.ts';
import { wallClock } from '../../platform/wall-clock.ts';
import type { Family } from '../event.ts';
import { type PayloadScope, readAuthorized } from '../payload.ts';
import { isEncoded, isSignature, reserialised } from '../signed-form.ts';
import type { VerifiedEvent } from './events.ts';
import { type HeadersLike, readHeader } from './headers.ts';
import { type Bytes, readBytes } from './received-body.ts';
import { type ReadSecrets, readSecrets, type Secret, type WebhookSecrets } from './secrets.ts';
import { VerificationError } from './verification-error.ts';
import { importKey, isEqual, matchesSignature, signWith } from './web-hmac.ts';

/**
 * A delivery: a web-standard `Request`, a request of Node or Express, or an object with its headers and its body.
 */
export interface DeliveryRequest {
  readonly headers: HeadersLike;
  /**
   * A text, bytes, a stream of bytes, or the parsed JSON. Best as it was received: a parsed body has lost its layout, so
   * its signature is valid only if the service signs what `JSON.stringify` writes.
   */
  readonly body?: unknown;
  /** Must be POST if it is present. */
  readonly method?: string | undefined;
  /** Whether a `Request` was read before. */
  readonly bodyUsed?: boolean;
}

/** How to read what a delivery leaves open. */
export interface VerifyOptions {
  /**
   * What a vote is for that names only its voter: the listing that the webhook belongs to, by default a server. With
   * null such votes are not processed (`webhook_unprocessable`).
   */
  readonly kind?: 'server' | 'bot' | null;
  /** The current time (ms since the epoch). A later event is not processed if it is more than 5 minutes ahead. */
  readonly now?: number;
}

/**
 * Verifies the signature of a delivery and parses its event. It accepts and rejects what the receiver accepts and
 * rejects, and runs wherever Web Crypto does: Node, Deno, Bun, Cloudflare Workers. It reads the body of the request.
 *
 * A captured delivery can be sent again, and the service repeats what was not answered with 2xx in about 10 s. Process
 * each event once: a vote is identified by `target`, `userId` and `at`, a purchase by `kind` and its `orderIds`.
 *
 * @param secrets one vote secret or several, or the secrets of both kinds of webhooks; without any, nothing is accepted
 * @returns a vote, a premium event, or a test from the dashboard (`family`)
 * @throws VerificationError with a `code` and the `status` of the response; never with a secret or a part of the body
 * @throws TallyhookError `invalid_options` if the first argument is not a request
 *
 * @example
 * ```ts
 * import { VerificationError, verify } from 'tallyhook/verify';
 *
 * export default {
 *   async fetch(request: Request, env: { VOTE_SECRET: string }): Promise<Response> {
 *     try {
 *       const event = await verify(request, env.VOTE_SECRET);
 *       if (event.family === 'vote') console.log(`${event.userId} voted`);
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
  options: VerifyOptions = {},
): Promise<VerifiedEvent> {
  const { kind = 'server', now = wallClock.now() } = options;
  checkRequest(request);
  const read = readSecrets(secrets);
  if (request.method !== undefined && request.method !== 'POST') throw new VerificationError('webhook_method');
  if (isEncoded(readHeader(request.headers, 'content-encoding'))) throw new VerificationError('webhook_body_encoded');
  const bytes = await bodyOf(request);
  const sender = await authenticate(request.headers, bytes, read);
  const authorized = readAuthorized(
    sender,
    { scopes: scopesOf(sender.families, kind), signed: sender.signed, pathFamily: null },
    now,
  );
  if (typeof authorized === 'string') throw new VerificationError(authorized);
  const { payload } = authorized;
  switch (payload.type) {
    case 'event':
      return payload.event;
    case 'test':
      return { family: 'test', kind: payload.kind, userId: payload.userId, target: payload.target };
    case 'unprocessable':
      throw new VerificationError('webhook_unprocessable', payload.reason);
  }
}

/**
 * The signature of a body, for tests: the value of the header `x-webhook-signature`.
 *
 * @param body the bytes or the text; anything else is serialised as JSON
 * @throws VerificationError `webhook_secret_missing` for an empty secret
 *
 * @example
 * ```ts
 * import { sign, verify } from 'tallyhook/verify';
 *
 * const body = JSON.stringify({ event: 'server_vote', userId: '80351110224678912', serverId: '1' });
 * const headers = { 'x-webhook-signature': await sign(body, 'secret') };
 * await verify({ headers, body }, 'secret');
 * ```
 */
export async function sign(body: unknown, secret: string): Promise<string> {
  if (secret === '') throw new VerificationError('webhook_secret_missing');
  const bytes = await readBytes(body);
  if (bytes === null) throw new VerificationError('webhook_body_not_json');
  return signWith(await importKey(secret), bytes);
}

/** Callers without a type checker may pass something else. @throws TallyhookError `invalid_options` */
function checkRequest(request: unknown): void {
  const isObject = typeof request === 'object' && request !== null;
  if (isObject && 'headers' in request && typeof request.headers === 'object' && request.headers !== null) return;
  const hint =
    isObject && 'raw' in request
      ? 'This is the request of Hono or Fastify: pass its property raw, as in verify(c.req.raw, secret).'
      : 'Pass a Request, a request of Node or Express, or { headers, body }.';
  throw new TallyhookError('invalid_options', 'The first argument of verify is not a request: it has no headers.', {
    hint,
  });
}

/** A delivery whose sender is known. */
interface Sender {
  readonly families: readonly Family[];
  readonly signed: boolean;
  readonly text: string;
  /** The parsed text; undefined if it is not JSON. */
  readonly json: unknown;
}

async function bodyOf(request: DeliveryRequest): Promise<Bytes | null> {
  const { body, bodyUsed, headers } = request;
  if (bodyUsed === true) throw new VerificationError('webhook_body_unavailable');
  if (Number(readHeader(headers, 'content-length')) > maxBodyBytes)
    throw new VerificationError('webhook_body_too_large');
  // A `Request` without a body.
  if (body === null && bodyUsed === false) return new Uint8Array();
  // A request of Node is its own stream.
  return readBytes(body === undefined && isUnreadStream(request) ? request : body);
}

function isUnreadStream(request: object): boolean {
  return Symbol.asyncIterator in request && !('readableDidRead' in request && request.readableDidRead === true);
}

async function authenticate(headers: HeadersLike, bytes: Bytes | null, secrets: ReadSecrets): Promise<Sender> {
  const signature = readHeader(headers, 'x-webhook-signature');
  if (signature !== undefined && !isSignature(signature)) throw new VerificationError('webhook_signature_malformed');
  if (bytes === null) throw new VerificationError('webhook_signature_mismatch');
  // Invalid bytes are replaced, and a byte-order mark is kept, as by the receiver.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const received = { text, json: parseJson(text), bytes };
  if (signature === undefined) {
    const authorization = readHeader(headers, 'authorization');
    const isAuthorized =
      secrets.authorization !== null &&
      authorization !== undefined &&
      (await isEqual(secrets.authorization, authorization));
    if (!isAuthorized) throw new VerificationError('webhook_signature_missing');
    return { families: ['vote'], signed: false, ...received };
  }
  const forms = [received, ...serialisedForm(received)];
  for (const [secret, families] of secrets.familiesOf) {
    const key = await importKey(secret);
    for (const form of forms) {
      if (await matchesSignature(key, form.bytes, signature)) return { families, signed: true, ...form };
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

function scopesOf(families: readonly Family[], kind: 'server' | 'bot' | null): PayloadScope[] {
  const kinds = kind === null ? (['server', 'bot'] as const) : [kind];
  return families.flatMap((family) =>
    kinds.map((each) => ({ family, listing: { name: each, kind: each, implied: false } })),
  );
}
