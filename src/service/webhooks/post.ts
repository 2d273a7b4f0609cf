import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { formatDuration } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Address, WebhookTarget } from './target.ts';

/** The result of one POST. Expected failures are values. */
export interface PostOutcome {
  /** Null if there was no response; then `error` says why, and there are no other parts. */
  readonly status: number | null;
  readonly error: string | null;
  readonly responseBody: string | null;
  readonly retryAfter: string | null;
}

/** The outcome of a request without a response. */
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
 */
export async function post(
  target: WebhookTarget,
  body: string,
  headers: Readonly<Record<string, string>>,
  { clock, timeoutMs, stop }: { clock: Clock; timeoutMs: number; stop?: AbortSignal | undefined },
): Promise<PostOutcome> {
  const expiry = new AbortController();
  const timerController = new AbortController();
  void clock.sleep(timeoutMs, timerController.signal).then(() => expiry.abort());
  try {
    return await sendRequest(target, body, headers, stop ? AbortSignal.any([expiry.signal, stop]) : expiry.signal);
  } catch (thrown) {
    return unanswered(
      expiry.signal.aborted ? `No complete response within ${formatDuration(timeoutMs)}.` : messageOf(thrown),
    );
  } finally {
    timerController.abort();
  }
}

function sendRequest(
  target: WebhookTarget,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const request = target.url.protocol === 'https:' ? httpsRequest : httpRequest;
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(target.url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length },
      lookup: fixedLookup(target.addresses),
      agent: false,
      signal,
    });
    outgoing.on('error', reject);
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

/** The beginning of a response, without what PostgreSQL cannot store: NUL and half a character at the end. */
function storable(text: string): string {
  return text.slice(0, maxResponseLength).replaceAll('\0', '\uFFFD').toWellFormed();
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
