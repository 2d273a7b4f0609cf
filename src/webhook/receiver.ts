import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Router } from 'express';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { BodyMemory, memoryRetryAfterSeconds, readBody } from '../platform/http/body.ts';
import { maxBodyBytes } from '../platform/http/max-body-bytes.ts';
import type { Log } from '../platform/log.ts';
import { createThrottledLog } from '../platform/throttled-log.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { Family } from './event.ts';
import type { Intake } from './intake.ts';
import { rejections } from './rejections.ts';
import { type Outcome, outcomes, type Rejection, type WebhookResponse } from './response.ts';
import { isEncoded } from './signed-form.ts';
import { traceDelivery } from './trace-delivery.ts';

/**
 * Called for each response, for metrics. `outcome` is null for a rejected delivery; `durationMs` is the time from the
 * request's headers to the response (ms).
 */
export type ObserveResponse = (response: {
  readonly status: number;
  readonly outcome: string | null;
  readonly durationMs: number;
}) => void;

const paths: ReadonlyArray<readonly [path: string, family: Family | null]> = [
  ['/webhooks/vote', 'vote'],
  ['/webhooks/premium', 'premium'],
  ['/webhooks', null],
];

/** The path of a delivery: of all listings, or of one. */
interface DeliveryPath {
  readonly listing: string | null;
  readonly family: Family | null;
}

const listingPrefix = '/webhooks/';

/** The parts of `/webhooks/<listing>`, `/webhooks/<listing>/vote` and `/webhooks/<listing>/premium`. */
function pathOfListing(path: string): (DeliveryPath & { readonly listing: string }) | null {
  if (!path.startsWith(listingPrefix)) return null;
  const [listing = '', family = '', ...others] = path.slice(listingPrefix.length).split('/', 4);
  const isEnd = others.length === 0 || (others.length === 1 && others[0] === '');
  if (!isEnd || (family !== '' && family !== 'vote' && family !== 'premium')) return null;
  return { listing, family: family || null };
}

/** The path with a parameter instead of the name of a listing. */
function routeOf({ listing, family }: DeliveryPath): string {
  return `/webhooks${listing === null ? '' : '/:listing'}${family === null ? '' : `/${family}`}`;
}

/** Shortest time between two log messages about the same rejection (ms). */
const rejectionLogIntervalMs = 10 * second;

/** When a sender should retry while the program starts or stops (seconds). */
const closedRetryAfterSeconds = 30;

/** Whether deliveries are accepted. Until the start there are no handlers for them, and after the stop no database. */
export type ReceivingState = 'not started' | 'started' | 'stopped';

/** The webhook routes, in two forms with the same behaviour. */
export interface Receiver {
  /** For use in another Express app. */
  readonly router: Router;
  /**
   * For tallyhook's own server: handles deliveries without Express and passes all other requests to `fallback`.
   * Express's work before the route is a quarter of the cost of a delivery (`bench/README.md`).
   */
  withFallback(fallback: RequestListener): RequestListener;
}

/**
 * Reads the raw body itself, so no body parser may run before it; if one did, the response says so. Responds with 200
 * after the commit, otherwise with 400, 401, 405, 413, 415 or 503.
 */
export function createWebhookReceiver(options: {
  intake: Intake;
  clock: Clock;
  log: Log;
  observe?: ObserveResponse;
  tracing?: Tracing | null;
  /** Shared with the other routes of the program; by default its own. */
  memory?: BodyMemory;
  /** By default always started. */
  state?: () => ReceivingState;
}): Receiver {
  const { intake, clock, log, observe = () => {}, tracing = null } = options;
  const { memory = new BodyMemory(), state = () => 'started' } = options;
  const logRejection = createThrottledLog({ log, clock, intervalMs: rejectionLogIntervalMs });

  let hasWarned = false;

  function respondTo(request: IncomingMessage, path: DeliveryPath) {
    const current = state();
    if (current !== 'started') return Promise.resolve(rejectClosed(current));
    return handle(request, path, { intake, memory, log }).catch((error: unknown) => internalError(error, log));
  }

  function rejectClosed(current: Exclude<ReceivingState, 'started'>): Rejection {
    if (current === 'not started' && !hasWarned) {
      hasWarned = true;
      log.warn({ hint: startHint }, 'webhooks are mounted, but not started: deliveries are rejected with 503');
    }
    const error = current === 'stopped' ? 'tallyhook is stopping.' : 'tallyhook has not been started.';
    return { status: 503, error, retryAfterSeconds: closedRetryAfterSeconds };
  }

  function handler(path: DeliveryPath) {
    return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const startedAt = performance.now();
      const reply = await (tracing === null
        ? respondTo(request, path)
        : traceDelivery(tracing, request, routeOf(path), () => respondTo(request, path)));
      if (reply === null) return;
      send(request, response, reply);
      if ('error' in reply) {
        const { status, error: reason } = reply;
        logRejection('warn', `${status} ${reason}`, 'delivery rejected', { status, reason });
      }
      observe({
        status: reply.status,
        outcome: 'outcome' in reply ? reply.outcome : null,
        durationMs: performance.now() - startedAt,
      });
    };
  }

  const handlers = new Map(paths.map(([path, family]) => [path, handler({ listing: null, family })]));
  const router = Router({ strict: false, caseSensitive: true });
  for (const [path, handleDelivery] of handlers) router.all(path, handleDelivery);
  router.all(['/webhooks/:listing', '/webhooks/:listing/:family'], (request, response, next) => {
    const handleDelivery = handlerOf(request.path);
    if (handleDelivery === undefined) next();
    else void handleDelivery(request, response);
  });

  /** Undefined for a path of no listing, which is answered like any other unknown path. */
  function handlerOf(path: string) {
    const deliveryPath = pathOfListing(path);
    return deliveryPath !== null && intake.hasListing(deliveryPath.listing) ? handler(deliveryPath) : undefined;
  }

  return {
    router,
    withFallback: (fallback) => (request, response) => {
      const path = request.url ?? '';
      const handleDelivery = handlers.get(path) ?? handlerOf(path);
      if (handleDelivery === undefined) fallback(request, response);
      else void handleDelivery(request, response);
    },
  };
}

/**
 * The order of the checks is part of the contract: method, content encoding, size, signature, JSON. Null if the sender
 * closed the connection.
 */
async function handle(
  request: IncomingMessage,
  path: DeliveryPath,
  { intake, memory, log }: { readonly intake: Intake; readonly memory: BodyMemory; readonly log: Log },
): Promise<WebhookResponse | Rejection | null> {
  if (request.method !== 'POST') return rejectMethod(request.method);
  if (isEncoded(request.headers['content-encoding'])) return reject('webhook_body_encoded');
  const credentials = {
    ...path,
    signature: joinHeader(request.headers['x-webhook-signature']),
    authorization: request.headers.authorization,
  };
  // Reject an unknown sender without reading the body, unless the size is unknown: 413 takes precedence over 401.
  if (Number(request.headers['content-length']) <= maxBodyBytes) {
    const rejection = intake.rejectByHeaders(credentials);
    if (rejection !== null) return rejection;
  }
  const body = await readBody(request, memory);
  switch (body) {
    case 'aborted':
      return null;
    case 'too large':
      return reject('webhook_body_too_large');
    case 'consumed':
      log.error({ hint: mountHint }, 'webhook could not be read: its body was already consumed');
      return { status: 503, error: bodyConsumed, retryAfterSeconds: 60 };
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

/**
 * The response to an unexpected error. The sender retries, so the delivery is not lost while the error is being fixed.
 */
function internalError(error: unknown, log: Log): Rejection {
  log.error({ err: error }, 'delivery failed');
  return { status: 503, error: 'Internal error. See the log of tallyhook.', retryAfterSeconds: 30 };
}

const startHint = 'Call start() after mounting the webhooks: start({ listen: false }) if your own server listens.';
const tooManyBodies = 'Too many unfinished deliveries. Send this one again.';
const mountHint = "Mount tallyhook's router before express.json() and any other body parser.";
const bodyConsumed =
  'The body was already consumed before it reached this router, probably by express.json(), ' +
  `and the signature covers its raw bytes. ${mountHint}`;

function rejectMethod(method: string | undefined): Rejection {
  const hint =
    method === 'GET' || method === 'HEAD'
      ? ' A GET instead of a POST is usually caused by a redirect from http to https: ' +
        'enter the https address at the service.'
      : '';
  const { status, message } = rejections.webhook_method;
  return { status, error: `${message}${hint}`, allow: 'POST' };
}

function reject(code: 'webhook_body_encoded' | 'webhook_body_too_large'): Rejection {
  const { status, message } = rejections[code];
  return { status, error: message };
}

function joinHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

interface JsonResponse {
  /** A string, because Node sends a string and the headers in one write. */
  readonly text: string;
  /** Names and values in turn, which Node writes as they are. */
  readonly headers: string[];
}

/** Prepared, because nearly every delivery gets one of them. */
const acceptances = Object.fromEntries(
  outcomes.map((outcome) => [outcome, jsonResponse({ received: true, outcome })]),
) as Readonly<Record<Outcome, JsonResponse>>;

/** Responds, also before the request was read. */
function send(request: IncomingMessage, response: ServerResponse, reply: WebhookResponse | Rejection): void {
  const { text, headers } = reply.status === 200 ? acceptances[reply.outcome] : rejectionResponse(reply);
  response.writeHead(reply.status, headers).end(text);
  // Discard the unread rest of a rejected body, or the sender may never read the response. The server's timeout limits
  // the time.
  if (!request.readableEnded) request.resume();
}

function rejectionResponse(reply: Exclude<WebhookResponse, { status: 200 }> | Rejection): JsonResponse {
  const body = { success: false, error: reply.error };
  if (reply.status === 405) return jsonResponse(body, ['allow', reply.allow]);
  if (reply.status === 503) return jsonResponse(body, ['retry-after', String(reply.retryAfterSeconds)]);
  return jsonResponse(body);
}

function jsonResponse(body: object, headers: readonly string[] = []): JsonResponse {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  const contentHeaders = ['content-type', 'application/json; charset=utf-8', 'content-length', length];
  return { text, headers: [...contentHeaders, ...headers] };
}
