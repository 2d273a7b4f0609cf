import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Router } from 'express';
import type { Family } from '../ledger/event.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { maxBodyBytes, readBody } from './body.ts';
import type { Intake, WebhookResponse } from './intake.ts';
import { createRejectionLog } from './rejection-log.ts';

/**
 * What is told of each request that was answered, for metrics. `outcome` is null for a refusal; `took` is ms from when
 * its head had come to the answer.
 */
export type ObserveResponse = (answer: {
  readonly status: number;
  readonly outcome: string | null;
  readonly took: number;
}) => void;

const paths: ReadonlyArray<readonly [path: string, family: Family | null]> = [
  ['/webhooks/vote', 'vote'],
  ['/webhooks/premium', 'premium'],
  ['/webhooks', null],
];

/** The webhook routes, in two forms that do the same. */
export interface Receiver {
  /** For somebody else's Express app. */
  readonly router: Router;
  /**
   * For a server of our own: deliveries are handled on the spot, everything else goes to `others`. What Express does before it comes to
   * a route costs a quarter of a delivery.
   */
  before(others: RequestListener): RequestListener;
}

/**
 * Reads the raw body by itself, so it works wherever no parser has consumed the body before it; where one has, it says
 * so. It answers 200 after the commit, else 400, 401, 405, 413, 415 or 503, and nothing else.
 */
export function createReceiver(options: {
  intake: Intake;
  clock: Clock;
  log: Log;
  observe?: ObserveResponse;
}): Receiver {
  const { intake, clock, log, observe = () => {} } = options;
  const tellRefusal = createRejectionLog(log, clock);

  function handler(family: Family | null) {
    return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const began = performance.now();
      const told = await answer(request, family, intake, log).catch((error: unknown) => broken(error, log));
      if (told === null) return;
      send(request, response, told);
      if ('error' in told) tellRefusal(told.status, told.error);
      observe({
        status: told.status,
        outcome: 'outcome' in told ? told.outcome : null,
        took: performance.now() - began,
      });
    };
  }

  const handlers = new Map(paths.map(([path, family]) => [path, handler(family)]));
  const router = Router({ strict: false, caseSensitive: true });
  for (const [path, handle] of handlers) router.all(path, handle);

  return {
    router,
    before: (others) => (request, response) => {
      const handle = handlers.get(request.url ?? '');
      if (handle === undefined) others(request, response);
      else void handle(request, response);
    },
  };
}

interface Refusal {
  readonly status: 405 | 413 | 415 | 503;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The order of the refusals is part of the contract: method, content encoding, size, signature, then JSON. Null: the sender has gone. */
async function answer(
  request: IncomingMessage,
  family: Family | null,
  intake: Intake,
  log: Log,
): Promise<WebhookResponse | Refusal | null> {
  if (request.method !== 'POST') return methodRefused(request.method);
  if (isEncoded(request)) {
    return { status: 415, error: 'Send the body uncompressed: the signature is of the bytes as they are.' };
  }
  const claim = {
    family,
    signature: single(request.headers['x-webhook-signature']),
    authorization: request.headers.authorization,
  };
  // Nothing of a body is read for whoever cannot be known by it, unless only reading tells whether it is too large.
  if (Number(request.headers['content-length']) <= maxBodyBytes) {
    const refused = intake.rejectUnread(claim);
    if (refused !== null) return refused;
  }
  const body = await readBody(request);
  switch (body) {
    case 'aborted':
      return null;
    case 'too large':
      return { status: 413, error: `The body is larger than ${maxBodyBytes} bytes.` };
    case 'consumed':
      log.error({ cure: mountBefore }, 'a webhook could not be read: its body was already consumed');
      return { status: 503, error: alreadyConsumed, headers: { 'retry-after': '60' } };
    default:
      return intake.accept({ ...claim, body });
  }
}

/** What nobody has foreseen. The sender is told to come back, so that nothing is lost while it is being mended. */
function broken(error: unknown, log: Log): Refusal {
  log.error({ err: error }, 'a delivery failed');
  return { status: 503, error: 'Something broke here; it is in the log.', headers: { 'retry-after': '30' } };
}

const mountBefore = "Mount tallyhook's router before express.json() and any other body parser.";
const alreadyConsumed =
  'The body was already consumed before this router saw it, most likely by express.json(), and the signature is of its raw bytes. ' +
  mountBefore;

function methodRefused(method: string | undefined): Refusal {
  const hint =
    method === 'GET' || method === 'HEAD'
      ? ' A GET where a POST was sent usually is a redirect from http to https: give the service the https address.'
      : '';
  return { status: 405, error: `Deliveries come by POST.${hint}`, headers: { allow: 'POST' } };
}

function isEncoded(request: IncomingMessage): boolean {
  const encoding = request.headers['content-encoding'];
  return encoding !== undefined && encoding.trim() !== '' && encoding.trim().toLowerCase() !== 'identity';
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

/** A lean answer: a string and three headers cost half of what `res.json` with its ETag does. */
function send(request: IncomingMessage, response: ServerResponse, told: WebhookResponse | Refusal): void {
  const text =
    told.status === 200
      ? `{"received":true,"outcome":"${told.outcome}"}`
      : JSON.stringify({ success: false, error: told.error });
  const headers: Record<string, string | number> = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...('headers' in told ? told.headers : {}),
    ...('retryAfterSeconds' in told ? { 'retry-after': told.retryAfterSeconds } : {}),
  };
  response.writeHead(told.status, headers).end(text);
  // What was not read of a refused body is read past, or the sender would never see the answer; the server's timeout bounds it.
  if (!request.readableEnded) request.resume();
}
