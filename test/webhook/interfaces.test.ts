import { gzipSync } from 'node:zlib';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { parseResponses, rawConnection } from '@tallyhook/platform/testing/raw-http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { firstCommunity } from '../support/communities.ts';
import { premiumSecret, serverAndBot, voteSecret } from '../support/listings.ts';
import { type Interface, interfaces, startReceiver, type TestReceiver } from '../support/start-receiver.ts';
import {
  authorization,
  delivery,
  type GeneratedDelivery,
  now,
  oldVoteSecret,
  sharedSecret,
} from './verification/generated-deliveries.ts';

/* Deliveries reach the receiver through Express, the program's own server, or a framework of web standards. */

const at = '2025-12-31T23:00:00.000Z';
const vote = JSON.stringify({ event: 'server_vote', userId: '42', serverId: '1', timestamp: at });
const purchase = JSON.stringify({ event: 'premium_purchase', buyer: { userId: '42' }, orderId: 'o-1' });
const signed = (body: string | Buffer, secret = voteSecret) => `x-webhook-signature: ${sign(body, secret)}\r\n`;

/** What is sent after the request line and the Host header. */
function framed(body: string | Buffer, head = ''): Buffer {
  return Buffer.concat([Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n${head}\r\n`), Buffer.from(body)]);
}

function chunked(body: string, head: string): Buffer {
  const middle = Math.floor(body.length / 2);
  const chunks = [body.slice(0, middle), body.slice(middle), ''].map(
    (chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`,
  );
  return Buffer.from(`Transfer-Encoding: chunked\r\n${head}\r\n${chunks.join('')}`);
}

const tooLarge = `{"pad":"${'x'.repeat(64 * 1024)}"}`;
const kinds: Readonly<Record<string, readonly [method: string, rest: Buffer]>> = {
  'a vote': ['POST', framed(vote, signed(vote))],
  'a repeated vote': ['POST', framed(vote, signed(vote))],
  'a vote in chunks': ['POST', chunked(vote.replace('42', '43'), signed(vote.replace('42', '43')))],
  'a vote with the signature of its serialised form': ['POST', framed(` ${vote}`, signed(vote))],
  'a test': ['POST', framed('{"test":true}', signed('{"test":true}'))],
  'a purchase': ['POST', framed(purchase, signed(purchase, premiumSecret))],
  'an unknown event': ['POST', framed('{"event":"surprise"}', signed('{"event":"surprise"}'))],
  'a body that is not JSON': ['POST', framed('{', signed('{'))],
  'bytes that are not UTF-8': ['POST', framed(Buffer.from([0xff, 0xfe]), signed(Buffer.from([0xff, 0xfe])))],
  'an empty body': ['POST', framed('', signed(''))],
  'no body': ['POST', Buffer.from(`${signed('')}\r\n`)],
  'no signature': ['POST', framed(vote)],
  'a wrong signature': ['POST', framed(vote, signed(vote, 'another-secret'))],
  'a malformed signature': ['POST', framed(vote, 'x-webhook-signature: 0\r\n')],
  'two signatures': ['POST', framed(vote, signed(vote) + signed(vote))],
  'an Authorization header': ['POST', framed(vote, 'Authorization: Bearer x\r\n')],
  'a compressed body': ['POST', framed(gzipSync(vote), `Content-Encoding: gzip\r\n${signed(gzipSync(vote))}`)],
  'the encoding identity': ['POST', framed(vote, `Content-Encoding: identity\r\n${signed(vote)}`)],
  'a body that is too large': ['POST', framed(tooLarge, signed(tooLarge))],
  'chunks that are too large': ['POST', chunked(tooLarge, signed(tooLarge))],
  'another content type': ['POST', framed(vote, `Content-Type: text/plain; charset=utf-16\r\n${signed(vote)}`)],
  'an Expect header': ['POST', framed(vote, `Expect: 100-continue\r\n${signed(vote)}`)],
  GET: ['GET', framed('')],
  HEAD: ['HEAD', framed('')],
  PUT: ['PUT', framed(vote, signed(vote))],
  OPTIONS: ['OPTIONS', framed('')],
};

const configured = serverAndBot({
  voteSecrets: [oldVoteSecret, voteSecret, sharedSecret],
  premiumSecrets: [premiumSecret, sharedSecret],
  voteAuthorization: authorization,
});

const paths = ['/webhooks', '/webhooks/vote', '/webhooks/premium', '/webhooks/server', '/webhooks/server/vote'];
const otherSpellings = ['/webhooks/vote/', '/webhooks/vote?x=1', '/webhooks/server/premium/'];

/** Headers that Node and Express add to every response of a connection, whatever it is. */
const connectionHeaders = /^(?:date|connection|keep-alive|x-powered-by): .*\r?$\n?/gim;

async function send(url: string, path: string, method: string, rest: Buffer) {
  const { write, closed } = rawConnection(url);
  write(Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`), rest]));
  const responses = parseResponses(await closed, { isHead: method === 'HEAD' });
  // The order of headers has no meaning, and `Headers` sorts them.
  const headersIn = (head: string) => head.replaceAll(connectionHeaders, '').split('\r\n').toSorted();
  return responses.map(({ status, head, body }) => ({ status, head: headersIn(head), body }));
}

describe('a request to a webhook address', { timeout: 60_000 }, () => {
  it('has the same response and effect through every interface, whatever its kind', async () => {
    const receivers = await Promise.all(
      interfaces.map((through) => startReceiver({ through, listings: serverAndBot() })),
    );
    for (const path of [...paths, ...otherSpellings]) {
      for (const [kind, [method, rest]] of Object.entries(kinds)) {
        const label = `${kind} to ${path}`;
        const [expected, ...others] = await Promise.all(receivers.map(({ url }) => send(url, path, method, rest)));
        expect(expected, label).not.toEqual([]);
        for (const [place, responses] of others.entries())
          expect(responses, `${label} through ${interfaces[place + 1]}`).toEqual(expected);
      }
    }
    for (const { url } of receivers) {
      for (const path of [
        '/webhooks/nothing',
        '/webhooks/server/votes',
        '/webhooks/server/vote/1',
        '/webhookss',
        '/',
      ]) {
        const [response] = await send(url, path, 'POST', framed(vote, signed(vote)));
        expect(response?.status, path).toBe(404);
      }
    }
    expect((await compareRows(receivers)).size).toBe(4);
  });

  it('has the same response for generated deliveries', async () => {
    const through = (each: Interface) =>
      startReceiver({ through: each, clock: manualClock(now), listings: configured });
    const receivers = await Promise.all(interfaces.map(through));
    const deliver = async ({ url }: TestReceiver, { body, headers }: GeneratedDelivery) => {
      const response = await fetch(`${url}/webhooks`, { method: 'POST', headers, body: Uint8Array.from(body) });
      const header = (name: string) => response.headers.get(name);
      const [type, retryAfter] = [header('content-type'), header('retry-after')];
      return { status: response.status, type, retryAfter, text: await response.text() };
    };
    await fc.assert(
      fc.asyncProperty(delivery, async (generated) => {
        const [expected, ...others] = await Promise.all(receivers.map((receiver) => deliver(receiver, generated)));
        for (const response of others) expect(response).toEqual(expected);
      }),
      { numRuns: 100 },
    );
    await compareRows(receivers);
  });

  /** Returns the outcomes of all rows. */
  async function compareRows(receivers: readonly TestReceiver[]): Promise<ReadonlySet<string>> {
    const everything = { outcome: null, limit: 1_000, before: null };
    const stored = await Promise.all(receivers.map(({ store }) => store.records.deliveries(everything)));
    for (const other of stored) expect(other).toEqual(stored[0]);
    const [account, ...others] = await Promise.all(
      receivers.map(({ store }) => store.ledgerIn(firstCommunity).account('42')),
    );
    for (const other of others) expect(other).toEqual(account);
    return new Set(stored[0]?.map(({ outcome }) => outcome));
  }
});
