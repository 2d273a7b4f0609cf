import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '@tallyhook/platform/clock';
import { closest } from '@tallyhook/platform/did-you-mean';
import { second } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { type BodyFailure, BodyMemory, memoryRetryAfterSeconds, readBody } from '@tallyhook/platform/http/body';
import { maxBodyBytes } from '@tallyhook/platform/http/max-body-bytes';
import { readWebBody } from '@tallyhook/platform/http/web-body';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog, type LogThrottled } from '@tallyhook/platform/throttled-log';
import { inSpan, type SpanDescription, type SpanEnd } from '@tallyhook/platform/tracing/span';
import {
  type DeliveryPath,
  pathnameOf,
  pathsWithoutPrefix,
  readDeliveryPath,
  routeOf,
  sharedPaths,
} from '../../webhook/delivery-path.ts';
import { rejections, tooLarge } from '../../webhook/rejections.ts';
import {
  acceptedResponse,
  type JsonResponse,
  probeResponse,
  type Rejection,
  rejectionResponse,
  type WebhookResponse,
} from '../../webhook/response.ts';
import { isEncoded, joinHeader, serialised } from '../../webhook/signed-form.ts';
import {
  type Address,
  type DeliveryHead,
  findAddress,
  type Intake,
  type IntakeRejection,
  type ReceivingListings,
} from './intake.ts';
import type { WebhookRoutes } from './webhook-routes.ts';

/**
 * Called for each response, for metrics. `outcome` is null for a rejected delivery; `durationMs` is the time from the
 * request's headers to the response (ms).
 */
export type ObserveResponse = (response: {
  readonly status: number;
  readonly outcome: string | null;
  readonly durationMs: number;
}) => void;

/** Shortest time between two log messages about the same rejection (ms). */
const rejectionLogIntervalMs = 10 * second;

/** Votes are smaller (bytes). */
const maxExplainedBytes = 4 * 1024;

/** When a sender should retry while the program starts or stops (seconds). */
const closedRetryAfterSeconds = 30;

/** Deliveries are accepted while it is started: before there are no handlers for them, and later no database. */
export type ReceivingState = 'not started' | 'started' | 'stopped';

/** The webhook routes, in several forms with the same behaviour. */
export interface Receiver extends WebhookRoutes {
  /** For tallyhook's own server: passes all other requests to `fallback`. */
  withFallback(fallback: RequestListener): RequestListener;
}

/** For a process that does not receive. */
export const noWebhooks: Receiver = {
  webhooks: (_request, _response, next) => next(),
  fetch: () => Promise.resolve(notFound()),
  node: () => Promise.resolve(false),
  withFallback: (fallback) => fallback,
};

/** A request apart from its unread body; one of Node has this shape. */
interface RequestHead {
  readonly method?: string | undefined;
  /** By their names in lower case. */
  readonly headers: DeliveryHead['headers'];
  /** The connection, with a property `encrypted` if it is one of TLS. */
  readonly socket: object;
  /** The bytes or the text, as parsers of Nest and cloud functions leave them. */
  readonly rawBody?: unknown;
  /** A text, bytes or the parsed JSON, as `express.json()` and similar parsers leave it. */
  readonly body?: unknown;
}

interface Destination {
  readonly path: DeliveryPath;
  readonly address: Address;
}

type ReadBody = (maxBytes: number) => Promise<Body | BodyFailure>;
type Body = Exclude<Awaited<ReturnType<typeof readBody>>, BodyFailure>;
type Reply = WebhookResponse | IntakeRejection | Rejection;

export interface ReceiverOptions {
  readonly intake: Intake;
  readonly directory: ReceivingListings;
  readonly clock: Clock;
  readonly log: Log;
  readonly observe?: ObserveResponse;
  /** Shared with the other routes of the program; by default its own. */
  readonly memory?: BodyMemory;
  /** By default always started. */
  readonly state?: () => ReceivingState;
  /** Called for each POST that has no address here, for metrics. */
  readonly observeUnknownPath?: () => void;
}

/**
 * Reads the raw body itself, or takes what a parser has left of it. Responds with 200 after the commit, otherwise with 400,
 * 401, 405, 413, 415 or 503.
 */
export class WebhookReceiver implements Receiver {
  readonly #options: ReceiverOptions;
  readonly #memory: BodyMemory;
  readonly #logRejection: LogThrottled;
  #hasWarned = false;

  constructor(options: ReceiverOptions) {
    const { log, clock, memory = new BodyMemory() } = options;
    this.#options = options;
    this.#memory = memory;
    this.#logRejection = createThrottledLog({ log, clock, intervalMs: rejectionLogIntervalMs });
  }

  readonly webhooks: Receiver['webhooks'] = (request, response, next) => {
    const destination = this.#destinationOf(request);
    if (destination !== null) return void this.#deliver(request, response, destination);
    this.#watch(request, response);
    next();
  };

  readonly node: Receiver['node'] = async (request, response) => {
    const destination = this.#destinationOf(request);
    if (destination === null) {
      this.#watch(request, response);
      return false;
    }
    await this.#deliver(request, response, destination);
    return true;
  };

  readonly fetch: Receiver['fetch'] = async (request) => {
    const startedAt = performance.now();
    const { pathname, ...head } = readHead(request);
    const destination = this.#findAtEnd(pathname);
    if (destination === null) {
      if (head.method === 'POST') this.#reportUnknown(pathname);
      return notFound();
    }
    const read: ReadBody = (maxBytes) => readWebBody(request, this.#memory, maxBytes);
    const reply = (await this.#answer(head, destination, read)) ?? bodyAborted;
    this.#report(reply, startedAt);
    return toWebResponse(reply.status, render(reply));
  };

  withFallback(fallback: RequestListener): RequestListener {
    return (request, response) => this.webhooks(request, response, () => fallback(request, response));
  }

  #destinationOf({ url = '' }: IncomingMessage): Destination | null {
    return this.#find(sharedPaths.get(url) ?? readDeliveryPath(pathnameOf(url)));
  }

  /** Null also for a path of no listing, which is answered like any other unknown path. */
  #find(path: DeliveryPath | null): Destination | null {
    const address = path === null ? undefined : findAddress(this.#options.directory, path.listing);
    return path === null || address === undefined ? null : { path, address };
  }

  #findAtEnd(pathname: string): Destination | null {
    for (const rest of pathsWithoutPrefix(pathname)) {
      const destination = this.#find(readDeliveryPath(rest));
      if (destination !== null) return destination;
    }
    return null;
  }

  async #deliver(request: IncomingMessage, response: ServerResponse, destination: Destination): Promise<void> {
    const startedAt = performance.now();
    const read: ReadBody = (maxBytes) => readBody(request, this.#memory, maxBytes);
    const reply = await this.#answer(request, destination, read);
    if (reply === null) return;
    send(request, response, reply);
    this.#report(reply, startedAt);
  }

  #answer(request: RequestHead, destination: Destination, read: ReadBody): Promise<Reply | null> {
    const state = this.#options.state?.() ?? 'started';
    if (state !== 'started') return Promise.resolve(this.#rejectClosed(state));
    const work = (traceparent: string | undefined) =>
      this.#handle(request, destination, read, traceparent).catch((error: unknown) => this.#internalError(error));
    return inSpan(() => describeDelivery(request, destination.path), work, describeReply);
  }

  /**
   * The order of the checks is part of the contract: method, content encoding, size, signature, JSON. Null if the sender
   * closed the connection.
   */
  async #handle(
    request: RequestHead,
    { path: { family }, address }: Destination,
    read: ReadBody,
    traceparent: string | undefined,
  ): Promise<Reply | null> {
    const { intake } = this.#options;
    const { method, headers } = request;
    if (method !== 'POST') return rejectMethod(method);
    if (isEncoded(joinHeader(headers['content-encoding']))) return rejectEncoded();
    const head = { address, family, headers, ...(traceparent !== undefined && { traceparent }) };
    const maxBytes = address.site.maxBodyBytes ?? maxBodyBytes;
    // Reject an unknown sender without reading the body, unless the size is unknown: 413 takes precedence over 401. A small
    // one is read, because it may say from which other site it is.
    const length = Number(headers['content-length']);
    if (length > maxExplainedBytes && length <= maxBytes) {
      const rejection = intake.rejectByHeaders(head);
      if (rejection !== null) return rejection;
    }
    const body = await read(maxBytes);
    switch (body) {
      case 'aborted':
        return null;
      case 'too large':
        return { status: 413, error: tooLarge(maxBytes) };
      case 'consumed':
        return this.#handleParsed(request, head, maxBytes);
      case 'no memory':
        return { status: 503, error: tooManyBodies, retryAfterSeconds: memoryRetryAfterSeconds };
      default:
        // The sender is known or rejected in this turn.
        body.release();
        return intake.accept(head, body.bytes);
    }
  }

  /** Handles a delivery of which only what a parser has made of its body is left, if that. */
  async #handleParsed(request: RequestHead, head: DeliveryHead, maxBytes: number): Promise<Reply> {
    const { intake, log } = this.#options;
    const body = readParsedBody(request);
    if (body === undefined) {
      log.error({ hint: mountHint }, 'webhook could not be read: its body was already consumed');
      return { status: 503, error: bodyConsumed, retryAfterSeconds: 60 };
    }
    if (body === null) {
      const { message } = rejections.webhook_signature_mismatch;
      return intake.rejectByHeaders(head) ?? { status: 401, error: `${message} ${bodyParsed}` };
    }
    if (body.length > maxBytes || Number(request.headers['content-length']) > maxBytes)
      return { status: 413, error: tooLarge(maxBytes) };
    const reply = await intake.accept(head, body);
    const isMismatch = 'code' in reply && reply.code === 'webhook_signature_mismatch';
    return isMismatch ? { ...reply, error: `${reply.error} ${bodyParsed}` } : reply;
  }

  #rejectClosed(state: Exclude<ReceivingState, 'started'>): Rejection {
    if (state === 'not started' && !this.#hasWarned) {
      this.#hasWarned = true;
      const message = 'webhooks are mounted, but not started: deliveries are rejected with 503';
      this.#options.log.warn({ hint: startHint }, message);
    }
    const error = state === 'stopped' ? 'tallyhook is stopping.' : 'tallyhook has not been started.';
    return { status: 503, error, retryAfterSeconds: closedRetryAfterSeconds };
  }

  /** The sender retries after an unexpected error, so the delivery is not lost while the error is being fixed. */
  #internalError(error: unknown): Rejection {
    this.#options.log.error({ err: error }, 'delivery failed');
    return { status: 503, error: 'Internal error. See the log of tallyhook.', retryAfterSeconds: 30 };
  }

  #report(reply: Reply, startedAt: number): void {
    if ('error' in reply) {
      const { status, error: reason } = reply;
      this.#logRejection('warn', `${status} ${reason}`, 'delivery rejected', { status, reason });
    }
    this.#options.observe?.({
      status: reply.status,
      outcome: 'outcome' in reply ? reply.outcome : null,
      durationMs: performance.now() - startedAt,
    });
  }

  /** Others may handle a request that is none of ours: it leads nowhere if they answer with 404. */
  #watch({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
    const pathname = pathnameOf(url);
    if (method !== 'POST' || !isBelowRoot(pathname)) return;
    response.once('finish', () => {
      if (response.statusCode === 404) this.#reportUnknown(pathname);
    });
  }

  /**
   * Reports a POST to an address that does not exist: what an owner has entered at a site may be wrong, and nobody else
   * would see the votes that are lost.
   */
  #reportUnknown(pathname: string): void {
    this.#options.observeUnknownPath?.();
    const message = 'a POST to an address that does not exist was answered with 404';
    this.#logRejection('warn', 'unknown address', message, () => ({
      path: showPath(pathname),
      hint: describeAddresses(
        this.#options.directory.listings.map(({ name }) => name),
        pathname,
      ),
    }));
  }
}

/**
 * A `traceparent` of the sender becomes a link, not the parent: anyone can send one, and must decide neither which traces
 * are recorded nor to which they belong. The path has parameters instead of their values.
 */
function describeDelivery({ method, headers, socket }: RequestHead, path: DeliveryPath): SpanDescription {
  const route = routeOf(path);
  const attributes = {
    'http.request.method': method === 'POST' ? method : '_OTHER',
    'http.route': route,
    'url.path': route,
    'url.scheme': 'encrypted' in socket ? 'https' : 'http',
  };
  const name = `${method === 'POST' ? method : 'HTTP'} ${route}`;
  return { name, kind: 'server', attributes, links: [headers['traceparent']] };
}

function describeReply(reply: Reply | null): SpanEnd {
  if (reply === null) return { error: 'aborted' };
  const { status } = reply;
  const outcome = 'outcome' in reply ? { 'tallyhook.outcome': reply.outcome } : {};
  return {
    attributes: { 'http.response.status_code': status, ...outcome },
    error: status >= 500 ? String(status) : undefined,
  };
}

const startHint = 'Call start() after mounting the webhooks: start({ listen: false }) if your own server listens.';
const tooManyBodies = 'Too many unfinished deliveries. Send this one again.';
const mountHint =
  'Mount tallyhook before express.json() and any other body parser, have the parser keep rawBody, ' +
  'or pass a clone of the Request.';
const bodyConsumed = `The body was already consumed before it reached tallyhook, and the signature covers its raw bytes. ${mountHint}`;
const bodyParsed = `If the secret is right: a parser has read the body before, and the signature covers its raw bytes. ${mountHint}`;
/** For the log of the runtime: the sender is gone. */
const bodyAborted = {
  status: 503,
  error: 'The connection was closed before the end of the body.',
  retryAfterSeconds: 5,
} as const;

function rejectMethod(method: string | undefined): Rejection {
  const hint =
    method === 'GET' || method === 'HEAD'
      ? ' A GET instead of a POST is usually caused by a redirect from http to https: ' +
        'enter the https address at the service.'
      : '';
  const { status, message } = rejections.webhook_method;
  return { status, error: `${message}${hint}`, allow: 'POST' };
}

function rejectEncoded(): Rejection {
  const { status, message } = rejections.webhook_body_encoded;
  return { status, error: message };
}

function render(reply: Reply): JsonResponse {
  if (reply.status !== 200) return rejectionResponse(reply);
  return reply.arrived === undefined ? acceptedResponse(reply.outcome) : probeResponse(reply.arrived);
}

/** Responds, also before the request was read. */
function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  // Something of the host's app, such as a time limit, has responded meanwhile.
  if (response.headersSent) return;
  const { text, headers } = render(reply);
  response.writeHead(reply.status, headers).end(text);
  // Discard the unread rest of a rejected body, or the sender may never read the response. The server's timeout limits
  // the time.
  if (!request.readableEnded) request.resume();
}

/**
 * The bytes of a body that a parser has read before. A parsed body is serialised again: it is accepted only if the service
 * has signed that form. Null if it cannot be serialised, so that no signature is valid; undefined without any trace of it.
 */
function readParsedBody({ rawBody, body }: RequestHead): Buffer | null | undefined {
  const parsed = rawBody ?? body;
  if (parsed === undefined || parsed === null) return undefined;
  if (Buffer.isBuffer(parsed)) return parsed;
  if (ArrayBuffer.isView(parsed)) return Buffer.from(parsed.buffer, parsed.byteOffset, parsed.byteLength);
  const text = typeof parsed === 'string' ? parsed : serialised(parsed);
  return text === null ? null : Buffer.from(text);
}

/** A `Request` apart from its body, in the shape of a request of Node. @throws TallyhookError `invalid_options` */
function readHead(request: Request) {
  checkRequest(request);
  const { protocol, pathname } = new URL(request.url);
  const socket = protocol === 'https:' ? { encrypted: true } : {};
  return { method: request.method, headers: Object.fromEntries(request.headers), socket, pathname };
}

function toWebResponse(status: number, { text, headers }: JsonResponse): Response {
  const pairs = Array.from({ length: headers.length / 2 }, (_, place) => headers.slice(2 * place, 2 * place + 2));
  return new Response(text, { status, headers: pairs as [string, string][] });
}

const unknownAddress =
  'No webhook has this address. Its path has to end in /webhooks/vote, /webhooks/premium, /webhooks or /webhooks/NAME, ' +
  'with the name of a listing.';

function notFound(): Response {
  return toWebResponse(404, rejectionResponse({ status: 404, error: unknownAddress }));
}

/** Callers without a type checker may pass something else. @throws TallyhookError `invalid_options` */
function checkRequest(request: unknown): void {
  const isObject = typeof request === 'object' && request !== null;
  const isRequest = isObject && 'headers' in request && 'url' in request && URL.canParse(String(request.url));
  if (
    isRequest &&
    request.headers !== null &&
    typeof request.headers === 'object' &&
    Symbol.iterator in request.headers
  )
    return;
  const hint =
    isObject && 'raw' in request
      ? 'Pass the property raw of it, as in fetch(c.req.raw) with Hono.'
      : 'With a request of Node, Express or Fastify call node(request, response).';
  throw new TallyhookError('invalid_options', 'The argument of fetch is not a Request.', { hint });
}

/** True for a path that is meant as an address of deliveries: below `/webhooks`, or `/webhook` in its place. */
function isBelowRoot(pathname: string): boolean {
  return /^\/webhooks?(?:\/|$)/i.test(pathname);
}

/** Characters of the name of a listing. */
const maxNameLength = 32;
/** Names of listings that a hint has at most. */
const maxNames = 10;

/** The addresses there are, for the operator, who may have entered another one at a site. */
function describeAddresses(listings: readonly string[], pathname: string): string {
  const shared = [...sharedPaths.keys()].join(', ');
  if (listings.length === 0) return `The addresses are ${shared}.`;
  const names = listings.slice(0, maxNames).join(', ') + (listings.length > maxNames ? ', …' : '');
  const meant = closest((pathname.split('/')[2] ?? '').slice(0, maxNameLength), listings);
  const suggestion = meant === undefined ? '' : ` Did you mean /webhooks/${meant}?`;
  return `The addresses are ${shared}, and /webhooks/NAME with the name of a listing: ${names}.${suggestion}`;
}

/** A path for the log: without what may be a secret, or no part of an address. */
function showPath(pathname: string): string {
  const segments = pathname.split('/', 6).map((segment) => (/^[\w.-]{0,32}$/.test(segment) ? segment : '…'));
  return segments.join('/');
}
