import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { type BodyFailure, BodyMemory, memoryRetryAfterSeconds, readBody } from '@tallyhook/platform/http/body';
import { readWebBody } from '@tallyhook/platform/http/web-body';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';
import { inSpan, type SpanDescription, type SpanEnd } from '@tallyhook/platform/tracing/span';
import {
  type DeliveryPath,
  pathnameOf,
  pathsWithoutPrefix,
  readDeliveryPath,
  routeOf,
  sharedPaths,
} from './delivery-path.ts';
import type { DeliveryCredentials, Intake, RequestHead } from './intake.ts';
import { readParsedBody } from './parsed-body.ts';
import { rejections, tooLarge } from './rejections.ts';
import {
  acceptedResponse,
  type JsonResponse,
  probeResponse,
  type Rejection,
  rejectionResponse,
  type WebhookResponse,
} from './response.ts';
import type { WebhookRoutes } from './routes.ts';
import { isEncoded, joinHeader } from './signed-form.ts';
import { createUnknownAddresses } from './unknown-addresses.ts';
import { notFound, readHead, toWebResponse } from './web-request.ts';

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

/** Whether deliveries are accepted. Until the start there are no handlers for them, and after the stop no database. */
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

type ReadBody = (maxBytes: number) => Promise<Body | BodyFailure>;
type Body = Exclude<Awaited<ReturnType<typeof readBody>>, BodyFailure>;

/**
 * Reads the raw body itself, or takes what a parser has left of it. Responds with 200 after the commit, otherwise with 400,
 * 401, 405, 413, 415 or 503.
 */
export function createWebhookReceiver(options: {
  intake: Intake;
  clock: Clock;
  log: Log;
  observe?: ObserveResponse;
  /** Shared with the other routes of the program; by default its own. */
  memory?: BodyMemory;
  /** By default always started. */
  state?: () => ReceivingState;
  /** The names of all listings, for hints. */
  listingNames?: () => readonly string[];
  /** Called for each POST that has no address here, for metrics. */
  observeUnknownPath?: () => void;
}): Receiver {
  const { intake, clock, log, observe = () => {} } = options;
  const { listingNames = () => [], observeUnknownPath = () => {} } = options;
  const { memory = new BodyMemory(), state = () => 'started' } = options;
  const logRejection = createThrottledLog({ log, clock, intervalMs: rejectionLogIntervalMs });
  const unknownAddresses = createUnknownAddresses({
    listingNames,
    observe: observeUnknownPath,
    logThrottled: logRejection,
  });

  let hasWarned = false;

  function answer(request: RequestHead, path: DeliveryPath, read: ReadBody) {
    const current = state();
    if (current !== 'started') return Promise.resolve(rejectClosed(current));
    const work = (traceparent: string | undefined) =>
      handle(request, path, read, { intake, log, traceparent }).catch((error: unknown) => internalError(error, log));
    return inSpan(() => describeDelivery(request, path), work, describeReply);
  }

  function rejectClosed(current: Exclude<ReceivingState, 'started'>): Rejection {
    if (current === 'not started' && !hasWarned) {
      hasWarned = true;
      log.warn({ hint: startHint }, 'webhooks are mounted, but not started: deliveries are rejected with 503');
    }
    const error = current === 'stopped' ? 'tallyhook is stopping.' : 'tallyhook has not been started.';
    return { status: 503, error, retryAfterSeconds: closedRetryAfterSeconds };
  }

  function report(reply: WebhookResponse | Rejection, startedAt: number): void {
    if ('error' in reply) {
      const { status, error: reason } = reply;
      logRejection('warn', `${status} ${reason}`, 'delivery rejected', { status, reason });
    }
    observe({
      status: reply.status,
      outcome: 'outcome' in reply ? reply.outcome : null,
      durationMs: performance.now() - startedAt,
    });
  }

  async function deliver(request: IncomingMessage, response: ServerResponse, path: DeliveryPath): Promise<void> {
    const startedAt = performance.now();
    const reply = await answer(request, path, (maxBytes) => readBody(request, memory, maxBytes));
    if (reply === null) return;
    send(request, response, reply);
    report(reply, startedAt);
  }

  /** Null also for a path of no listing, which is answered like any other unknown path. */
  function findPath(pathname: string): DeliveryPath | null {
    const path = readDeliveryPath(pathname);
    return path === null || path.listing === null || intake.hasListing(path.listing) ? path : null;
  }

  function findPathAtEnd(pathname: string): DeliveryPath | null {
    for (const rest of pathsWithoutPrefix(pathname)) {
      const path = findPath(rest);
      if (path !== null) return path;
    }
    return null;
  }

  const pathOf = ({ url = '' }: IncomingMessage) => sharedPaths.get(url) ?? findPath(pathnameOf(url));

  return {
    webhooks(request, response, next) {
      const path = pathOf(request);
      if (path !== null) return void deliver(request, response, path);
      unknownAddresses.watch(request, response);
      next();
    },
    async node(request, response) {
      const path = pathOf(request);
      if (path === null) unknownAddresses.watch(request, response);
      if (path === null) return false;
      await deliver(request, response, path);
      return true;
    },
    async fetch(request) {
      const startedAt = performance.now();
      const head = readHead(request);
      const path = findPathAtEnd(head.pathname);
      if (path === null) {
        if (head.method === 'POST') unknownAddresses.report(head.pathname);
        return notFound();
      }
      const reply = (await answer(head, path, (maxBytes) => readWebBody(request, memory, maxBytes))) ?? bodyAborted;
      report(reply, startedAt);
      return toWebResponse(reply.status, render(reply));
    },
    withFallback: (fallback) => (request, response) => {
      const path = pathOf(request);
      if (path !== null) return void deliver(request, response, path);
      unknownAddresses.watch(request, response);
      fallback(request, response);
    },
  };
}

/**
 * The order of the checks is part of the contract: method, content encoding, size, signature, JSON. Null if the sender
 * closed the connection.
 */
async function handle(
  request: RequestHead,
  path: DeliveryPath,
  read: ReadBody,
  {
    intake,
    log,
    traceparent,
  }: { readonly intake: Intake; readonly log: Log; readonly traceparent: string | undefined },
): Promise<WebhookResponse | Rejection | null> {
  const { method, headers } = request;
  if (method !== 'POST') return rejectMethod(method);
  if (isEncoded(joinHeader(headers['content-encoding']))) return rejectEncoded();
  const credentials = {
    ...path,
    signature: joinHeader(headers['x-webhook-signature']),
    authorization: joinHeader(headers['authorization']),
    headers,
    ...(traceparent !== undefined && { traceparent }),
  };
  const maxBytes = intake.maxBodyBytes(path.listing);
  // Reject an unknown sender without reading the body, unless the size is unknown: 413 takes precedence over 401. A small one
  // is read, because it may say from which other site it is.
  const length = Number(headers['content-length']);
  if (length > maxExplainedBytes && length <= maxBytes) {
    const rejection = intake.rejectByHeaders(credentials);
    if (rejection !== null) return rejection;
  }
  const body = await read(maxBytes);
  switch (body) {
    case 'aborted':
      return null;
    case 'too large':
      return { status: 413, error: tooLarge(maxBytes) };
    case 'consumed':
      return handleParsed(request, credentials, { intake, log, maxBytes });
    case 'no memory':
      return { status: 503, error: tooManyBodies, retryAfterSeconds: memoryRetryAfterSeconds };
    default:
      try {
        return await intake.accept({ ...credentials, body: body.bytes, onAuthenticated: body.release });
      } finally {
        body.release();
      }
  }
}

/** Handles a delivery of which only what a parser has made of its body is left, if that. */
async function handleParsed(
  request: RequestHead,
  credentials: DeliveryCredentials,
  { intake, log, maxBytes }: { readonly intake: Intake; readonly log: Log; readonly maxBytes: number },
): Promise<WebhookResponse | Rejection> {
  const body = readParsedBody(request);
  if (body === undefined) {
    log.error({ hint: mountHint }, 'webhook could not be read: its body was already consumed');
    return { status: 503, error: bodyConsumed, retryAfterSeconds: 60 };
  }
  const { message: mismatch } = rejections.webhook_signature_mismatch;
  if (body === null) return intake.rejectByHeaders(credentials) ?? { status: 401, error: `${mismatch} ${bodyParsed}` };
  if (body.length > maxBytes || Number(request.headers['content-length']) > maxBytes)
    return { status: 413, error: tooLarge(maxBytes) };
  const reply = await intake.accept({ ...credentials, body });
  return 'error' in reply && reply.error === mismatch ? { ...reply, error: `${mismatch} ${bodyParsed}` } : reply;
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

function describeReply(reply: WebhookResponse | Rejection | null): SpanEnd {
  if (reply === null) return { error: 'aborted' };
  const { status } = reply;
  const outcome = 'outcome' in reply ? { 'tallyhook.outcome': reply.outcome } : {};
  return {
    attributes: { 'http.response.status_code': status, ...outcome },
    error: status >= 500 ? String(status) : undefined,
  };
}

/**
 * The response to an unexpected error. The sender retries, so the delivery is not lost while the error is being fixed.
 */
function internalError(error: unknown, log: Log): Rejection {
  log.error({ err: error }, 'delivery failed');
  return { status: 503, error: 'Internal error. See the log of tallyhook.', retryAfterSeconds: 30 };
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

function render(reply: WebhookResponse | Rejection): JsonResponse {
  if (reply.status !== 200) return rejectionResponse(reply);
  return reply.arrived === undefined ? acceptedResponse(reply.outcome) : probeResponse(reply.arrived);
}

/** Responds, also before the request was read. */
function send(request: IncomingMessage, response: ServerResponse, reply: WebhookResponse | Rejection): void {
  // Something of the host's app, such as a time limit, has responded meanwhile.
  if (response.headersSent) return;
  const { text, headers } = render(reply);
  response.writeHead(reply.status, headers).end(text);
  // Discard the unread rest of a rejected body, or the sender may never read the response. The server's timeout limits
  // the time.
  if (!request.readableEnded) request.resume();
}
