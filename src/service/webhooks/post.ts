import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { formatCount, second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Address, WebhookTarget } from './target.ts';

/** What came back of one POST. Foreseen failures are values. */
export type PostOutcome =
  | { readonly status: number; readonly answer: string; readonly retryAfter: string | null }
  | { readonly status: null; readonly error: string };

/** The header that carries the signature (document, section 5.7). */
export const signatureHeader = 'x-webhook-signature';

const longestAnswer = 2_000;

/**
 * Sends one body to one checked target. It connects only to the addresses that were checked (a second look-up could answer
 * differently), follows no redirect, and reads no more of the answer than it keeps.
 * @param timeout for the whole exchange (ms).
 */
export async function post(
  target: WebhookTarget,
  body: string,
  headers: Readonly<Record<string, string>>,
  { clock, timeout, stop }: { clock: Clock; timeout: number; stop?: AbortSignal | undefined },
): Promise<PostOutcome> {
  const expiry = new AbortController();
  const finished = new AbortController();
  void clock.sleep(timeout, finished.signal).then(() => expiry.abort());
  try {
    return await exchange(target, body, headers, stop ? AbortSignal.any([expiry.signal, stop]) : expiry.signal);
  } catch (thrown) {
    const error = expiry.signal.aborted
      ? `No whole answer within ${formatCount(timeout / second, 'second')}.`
      : messageOf(thrown);
    return { status: null, error };
  } finally {
    finished.abort();
  }
}

function exchange(
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
      lookup: answerWith(target.addresses),
      agent: false,
      signal,
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      let answer = '';
      const status = incoming.statusCode ?? 0;
      const retryAfter = incoming.headers['retry-after'] ?? null;
      const done = (): void => resolve({ status, answer: answer.slice(0, longestAnswer), retryAfter });
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        answer += chunk;
        if (answer.length < longestAnswer) return;
        done();
        incoming.destroy();
      });
      incoming.on('end', done);
      incoming.on('error', reject);
    });
    outgoing.end(bytes);
  });
}

/** In place of DNS: the addresses that were checked, in the form in which `net.connect` asks for them. */
function answerWith(addresses: readonly Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    const wanted = addresses.filter(({ family }) => !options.family || options.family === family);
    const [first] = wanted;
    if (!first) callback(new Error('The host has no address of this family.'), '', 4);
    else if (options.all) callback(null, [...wanted]);
    else callback(null, first.address, first.family);
  };
}
