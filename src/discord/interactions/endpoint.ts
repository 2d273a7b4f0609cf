import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type APIInteraction, type APIInteractionResponse, InteractionResponseType, InteractionType } from 'discord.js';
import { readBody } from '../../http/body.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { createThrottledLog } from '../../platform/throttled-log.ts';
import { settleWithin } from '../../platform/with-timeout.ts';
import { createHttpTransport } from './http-transport.ts';
import type { InteractionHandler } from './interactions.ts';
import type { RestTransports } from './rest-transport.ts';
import { createSignatureVerifier, isRecent, readSignature } from './signature.ts';

/** The path of the endpoint. */
export const interactionsPath = '/interactions';

/**
 * Maximum size of an interaction (bytes). The largest contains a message of 4,000 characters per text, or the five texts
 * of a modal, each character of which JSON may escape with 12 bytes.
 */
const maxInteractionBytes = 512 * 1024;
/** How many interactions are remembered, so that each is handled once. */
const maxRememberedInteractions = 20_000;
/** For interactions in progress when the endpoint stops (ms). */
const stopTimeoutMs = 3 * second;
/** Shortest time between two log messages about the same rejection (ms). */
const rejectionLogIntervalMs = 10 * second;

/** Interactions over HTTP. Discord: "Preparing for Interactions". */
export interface InteractionsEndpoint {
  /** Handles a request for {@link interactionsPath}. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Handles interactions and passes all other requests to `fallback`: like deliveries, without Express.
   */
  withFallback(fallback: RequestListener): RequestListener;
  /** Rejects further interactions with 503, and waits for those in progress (3 s at most). */
  stop(): Promise<void>;
}

interface Rejection {
  readonly status: 400 | 401 | 405 | 409 | 413 | 415 | 503;
  readonly error: string;
}

const unsigned: Rejection = { status: 401, error: 'The signature is missing or wrong.' };
const outdated: Rejection = { status: 401, error: "The timestamp is not within 15 minutes of this machine's clock." };
const stopping: Rejection = { status: 503, error: 'The process is stopping.' };

/**
 * Verifies each request by the application's key, responds to Discord's PING, and passes interactions to `handle`, each
 * id once. The response is 202 without a body if `handle` responds to none, or by a request of its own.
 */
export function createInteractionsEndpoint(options: {
  /** 64 hexadecimal digits. */
  publicKey: string;
  handle: InteractionHandler;
  transports: RestTransports;
  /** For the age of interactions. */
  clock: Clock;
  /** Real time. */
  stopwatch: Clock;
  log: Log;
  /** Called for each response, for metrics. */
  observe?: (status: number) => void;
}): InteractionsEndpoint {
  const { transports, clock, stopwatch, log, observe = () => {} } = options;
  const verify = createSignatureVerifier(options.publicKey);
  const logThrottled = createThrottledLog({ log, clock: stopwatch, intervalMs: rejectionLogIntervalMs });
  const handled = new BoundedMap<true>(maxRememberedInteractions);
  const pending = new Set<Promise<void>>();
  let isStopping = false;

  function reject(request: IncomingMessage, response: ServerResponse, { status, error }: Rejection): void {
    observe(status);
    // Discord sends requests with wrong signatures now and then, to check that they are rejected.
    const level = status === unsigned.status && error === unsigned.error ? 'info' : 'warn';
    logThrottled(level, `${status} ${error}`, 'interaction rejected', { status, reason: error });
    send(response, status, JSON.stringify({ success: false, error }), status === 405 ? ['allow', 'POST'] : []);
    // Discard the unread rest of a body, or the sender may never read the response.
    if (!request.readableEnded) request.resume();
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isStopping) return reject(request, response, stopping);
    const interaction = await readInteraction(request);
    if (interaction === null) return;
    if ('error' in interaction) return reject(request, response, interaction);
    if (interaction.type === InteractionType.Ping) {
      observe(200);
      return send(response, 200, JSON.stringify({ type: InteractionResponseType.Pong }));
    }
    if (handled.has(interaction.id)) {
      return reject(request, response, { status: 409, error: 'This interaction was received before.' });
    }
    handled.set(interaction.id, true);
    await respond(interaction, response);
  }

  async function respond(interaction: APIInteraction, response: ServerResponse): Promise<void> {
    const answer = (callback: APIInteractionResponse | null) => {
      observe(callback === null ? 202 : 200);
      return sendCallback(response, callback);
    };
    const transport = createHttpTransport({ rest: transports(interaction), answer, clock: stopwatch });
    await options.handle(interaction, transport);
    if (!response.headersSent) await answer(null);
  }

  /** Null if the sender closed the connection. */
  async function readInteraction(request: IncomingMessage): Promise<APIInteraction | Rejection | null> {
    if (request.method !== 'POST') return { status: 405, error: 'Send interactions with POST.' };
    if (request.headers['content-encoding'] !== undefined) {
      return { status: 415, error: 'Send the body uncompressed: the signature covers its raw bytes.' };
    }
    const signed = readSignature(request.headers);
    if (signed === null) return unsigned;
    const body = await readBody(request, maxInteractionBytes);
    if (body === 'aborted') return null;
    if (body === 'too large') return { status: 413, error: `The body is larger than ${maxInteractionBytes} bytes.` };
    if (body === 'consumed') return { status: 503, error: 'The body was already consumed by another handler.' };
    if (!(await verify(signed, body))) return unsigned;
    // A message that Discord signed: this machine's clock is more likely to be wrong than the signature to be repeated.
    if (!isRecent(signed, clock.now())) return outdated;
    return parseInteraction(body) ?? { status: 400, error: 'The body is not an interaction.' };
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const receiving = receive(request, response)
      .catch((error: unknown) => {
        logThrottled('error', 'internal error', 'an interaction could not be handled', { reason: messageOf(error) });
        if (!response.headersSent) reject(request, response, { status: 503, error: 'Internal error.' });
      })
      .finally(() => pending.delete(receiving));
    pending.add(receiving);
  }

  return {
    handle,
    withFallback: (fallback) => (request, response) => {
      if (request.url === interactionsPath) handle(request, response);
      else fallback(request, response);
    },
    async stop() {
      isStopping = true;
      await settleWithin(stopTimeoutMs, stopwatch, Promise.all(pending));
    },
  };
}

/** The signature proves that it is from Discord, so only what every interaction has is checked. */
function parseInteraction(body: Buffer): APIInteraction | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isInteraction(value) ? value : null;
  } catch {
    return null;
  }
}

function isInteraction(value: unknown): value is APIInteraction {
  if (typeof value !== 'object' || value === null) return false;
  const { id, token, type } = value as Partial<Record<keyof APIInteraction, unknown>>;
  return typeof type === 'number' && (type === InteractionType.Ping || [id, token].every(isText));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Resolves when the response was passed to the operating system. */
function sendCallback(response: ServerResponse, callback: APIInteractionResponse | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (response.destroyed) return reject(new Error('Discord closed the connection.'));
    response.once('finish', resolve);
    response.once('close', () => reject(new Error('Discord closed the connection.')));
    if (callback === null) response.writeHead(202).end();
    else send(response, 200, JSON.stringify(callback));
  });
}

function send(response: ServerResponse, status: number, text: string, headers: readonly string[] = []): void {
  const length = String(Buffer.byteLength(text));
  const contentHeaders = ['content-type', 'application/json; charset=utf-8', 'content-length', length];
  response.writeHead(status, [...contentHeaders, ...headers]).end(text);
}
