import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Clock, startTimer } from '../../platform/clock.ts';
import { formatDuration } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import { type ConnectionOptions, type Connections, newConnection } from './connections.ts';
import type { WebhookTarget } from './target.ts';

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

/** The header that carries the signature (document, section 5.7). */
export const signatureHeader = 'x-webhook-signature';

/** Characters of the response body that are read. */
const maxResponseLength = 2_000;

/**
 * Sends one body to one checked target. Connects only to the checked addresses, because a second DNS query could return
 * others, does not follow redirects, and reads only the beginning of the response.
 * @param options.timeoutMs from the connection to the end of the response
 * @param options.stop aborts the request
 * @param options.connections may have one to the target already; without them the connection is a new one
 */
export async function post(
  target: WebhookTarget,
  body: string,
  headers: Readonly<Record<string, string>>,
  options: { clock: Clock; timeoutMs: number; stop?: AbortSignal | undefined; connections?: Connections | undefined },
): Promise<PostOutcome> {
  const { clock, timeoutMs, stop, connections } = options;
  const aborting = new AbortController();
  const abort = (): void => aborting.abort();
  let isLate = false;
  const stopTimer = startTimer(clock, timeoutMs, () => {
    isLate = true;
    abort();
  });
  stop?.addEventListener('abort', abort);
  const send = (connection: ConnectionOptions) => sendRequest(target, body, headers, connection, aborting.signal);
  try {
    if (stop?.aborted) abort();
    return await send(connections?.to(target) ?? newConnection(target)).catch((thrown: unknown) => {
      if (thrown instanceof ConnectionClosedError) return send(newConnection(target));
      throw thrown;
    });
  } catch (thrown) {
    return unanswered(
      isLate ? `No complete response within ${formatDuration(timeoutMs)}.` : storable(messageOf(thrown)),
    );
  } finally {
    stopTimer();
    stop?.removeEventListener('abort', abort);
  }
}

/** A connection that was idle is closed by its server just when a request begins. The request can be sent again. */
class ConnectionClosedError extends Error {}

function sendRequest(
  target: WebhookTarget,
  body: string,
  headers: Readonly<Record<string, string>>,
  connection: ConnectionOptions,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const request = target.url.protocol === 'https:' ? httpsRequest : httpRequest;
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(target.url, {
      ...connection,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length },
      signal,
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      reject(isClosed && outgoing.reusedSocket ? new ConnectionClosedError(error.message) : error);
    });
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
