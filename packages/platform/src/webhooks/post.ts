import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type Clock, startTimer } from '../clock.ts';
import { formatDuration, second } from '../durations.ts';
import { messageOf } from '../errors.ts';
import { SlotMap } from '../slot-map.ts';
import type { Address, WebhookTarget } from './target.ts';

/** The result of one POST. Expected failures are values. */
export interface PostOutcome {
  /** Null if there was no response; then `error` says why, and there are no other parts. */
  readonly status: number | null;
  readonly error: string | null;
  readonly responseBody: string | null;
  readonly retryAfter: string | null;
}

export function unanswered(error: string): PostOutcome {
  return { status: null, error, responseBody: null, retryAfter: null };
}

/** Characters of the response body that are read. */
const maxResponseLength = 2_000;

/**
 * Sends one body to one checked target. Connects only to the checked addresses, because a second DNS query could return
 * others, does not follow redirects, and reads only the beginning of the response.
 * @param options.timeoutMs from the connection to the end of the response
 * @param options.connections may have one to the target already, and end the request when they are closed; without them
 *   the connection is a new one
 */
export async function post(
  target: WebhookTarget,
  body: string,
  headers: Readonly<Record<string, string>>,
  options: { clock: Clock; timeoutMs: number; connections?: Connections | undefined },
): Promise<PostOutcome> {
  const { clock, timeoutMs, connections } = options;
  let outgoing: ClientRequest | null = null;
  let ended: string | null = null;
  const end = (reason: string): void => {
    ended = reason;
    outgoing?.destroy(new Error(reason));
  };
  const stopTimer = startTimer(clock, timeoutMs, () => {
    end(`No complete response within ${formatDuration(timeoutMs)}.`);
  });
  // Not the signal of `request`, which costs a tenth of its CPU, nor a shared signal, which would collect a listener
  // per request.
  const untrack = connections?.track(() => end('The process is stopping.'));
  const send = (connection: ConnectionOptions) => {
    if (ended !== null) throw new Error(ended);
    return sendRequest(target, body, headers, connection, (request) => {
      outgoing = request;
    });
  };
  try {
    return await send(connections?.to(target) ?? newConnection(target)).catch((thrown: unknown) => {
      if (thrown instanceof ConnectionClosedError) return send(newConnection(target));
      throw thrown;
    });
  } catch (thrown) {
    return unanswered(ended ?? storable(messageOf(thrown)));
  } finally {
    stopTimer();
    untrack?.();
  }
}

/** A connection that was idle is closed by its server just when a request begins. The request can be sent again. */
class ConnectionClosedError extends Error {}

function sendRequest(
  target: WebhookTarget,
  body: string,
  headers: Readonly<Record<string, string>>,
  connection: ConnectionOptions,
  onRequest: (request: ClientRequest) => void,
): Promise<PostOutcome> {
  const request = target.url.protocol === 'https:' ? httpsRequest : httpRequest;
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(target.url, {
      ...connection,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length },
    });
    onRequest(outgoing);
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      reject(isClosed && outgoing.reusedSocket ? new ConnectionClosedError(error.message) : error);
    });
    // Also after an answer that is neither a response nor an error, such as 101 (Switching Protocols).
    outgoing.on('close', () => reject(new Error('The connection was closed without a response.')));
    outgoing.on('response', (incoming) => {
      let responseBody = '';
      const status = incoming.statusCode ?? 0;
      const retryAfter = incoming.headers['retry-after'] ?? null;
      const done = (): void => resolve({ status, error: null, responseBody: storable(responseBody), retryAfter });
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        responseBody += chunk;
        if (responseBody.length < maxResponseLength) return;
        done();
        incoming.destroy();
      });
      incoming.on('end', done);
      incoming.on('error', reject);
    });
    outgoing.end(bytes);
  });
}

/** The beginning of a text, without what PostgreSQL cannot store: NUL and half a character at the end. */
function storable(text: string): string {
  return text.slice(0, maxResponseLength).replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Connections that are kept while they are idle, in total. */
const maxIdle = 640;
/** Shorter than what most servers allow, because a server that closes a connection may lose a request (ms). */
const idleTimeoutMs = 4 * second;

interface ConnectionOptions extends Pick<RequestOptions, 'lookup'> {
  readonly agent: HttpAgent | false;
  readonly addresses: string;
}

/** A connection of its own, to one of the checked addresses. */
function newConnection({ addresses }: WebhookTarget): ConnectionOptions {
  const sorted = addresses.map(({ address }) => address).sort();
  return { agent: false, lookup: fixedLookup(addresses), addresses: sorted.join(' ') };
}

export type Connections = ReturnType<typeof createConnections>;

export function createConnections() {
  const options = { keepAlive: true, timeout: idleTimeoutMs };
  const requests = new SlotMap<() => void>();
  let isClosed = false;
  const agents = { 'http:': keptByAddress(new HttpAgent(options)), 'https:': keptByAddress(new HttpsAgent(options)) };
  return {
    /** A connection that is kept is only used for a target with the same host, port and checked addresses. */
    to: (target: WebhookTarget): ConnectionOptions => ({
      ...newConnection(target),
      agent: agents[target.url.protocol === 'https:' ? 'https:' : 'http:'],
    }),
    /** @param end ends a request when the connections are closed. Call the result when it has ended */
    track(end: () => void): () => void {
      if (isClosed) end();
      const slot = requests.add(end);
      return () => void requests.take(slot);
    },
    isClosed: () => isClosed,
    /** Ends all requests, and closes all connections. */
    close(): void {
      isClosed = true;
      for (const end of requests.values()) end();
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function keptByAddress<Agent extends HttpAgent>(agent: Agent): Agent {
  const getName = agent.getName.bind(agent);
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);
  return Object.assign(agent, {
    getName: (options?: Partial<ConnectionOptions>) => `${getName(options)} ${options?.addresses}`,
    keepSocketAlive(socket: Parameters<typeof keepSocketAlive>[0]): boolean {
      const idle = Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
      const mayKeep: unknown = keepSocketAlive(socket);
      return mayKeep === true && idle < maxIdle;
    },
  });
}

/** A `lookup` function for `net.connect` that returns the checked addresses instead of querying DNS. */
function fixedLookup(addresses: readonly Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    const matching = addresses.filter(({ family }) => !options.family || options.family === family);
    const [first] = matching;
    if (!first) callback(new Error('The host has no address of the requested family.'), '', 4);
    else if (options.all) callback(null, [...matching]);
    else callback(null, first.address, first.family);
  };
}
