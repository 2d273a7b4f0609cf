import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { onFinished, sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createReceiver } from '../../../src/app/receiver-app.ts';
import { checkAddress } from '../../../src/cli/doctor/address.ts';
import { premiumSecret, voteSecret } from '../../support/listings.ts';
import { environmentWith } from '../../support/listings-file.ts';
import { newSqliteFile } from '../../support/new-sqlite.ts';
import { serve } from '../../support/start-receiver.ts';

/** One for each way in which deliveries are authenticated: two signatures, a token, a token in the body, and none. */
const listings = [
  { name: 'harbour', kind: 'server', id: '1000', voteSecrets: [voteSecret], premiumSecrets: [premiumSecret] },
  { name: 'timed', kind: 'bot', id: '2000', site: 'topgg', voteSecrets: ['whs_0123456789abcdef0123'] },
  { name: 'token', kind: 'bot', id: '2000', site: 'voidbots', voteSecrets: ['a-long-token-for-tests'] },
  { name: 'jws', kind: 'bot', id: '2000', site: 'discordlistgg', voteSecrets: ['a-long-key-for-tests'] },
  { name: 'anything', kind: 'bot', id: '2000', site: 'capture' },
] as const;

/** An address at which nothing listens any more. */
async function closedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

interface Request {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

describe('the address of a receiver', () => {
  const started = sharedByTests(async () => {
    const database = newSqliteFile();
    const receiver = await createReceiver({ listings: [...listings], database, port: 0 });
    onFinished(() => receiver.stop());
    return { database, url: (await receiver.start()) ?? '' };
  });

  /** A proxy before the receiver, which changes requests. */
  function proxyThat(change: (request: Request) => void): Promise<string> {
    async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
      const { 'content-length': _length, connection: _connection, host: _host, ...headers } = incoming.headers;
      const { method = 'GET', url: path = '/' } = incoming;
      const request: Request = { method, path, headers, body: await buffer(incoming) };
      change(request);
      const { method: sent, body } = request;
      const answer = await fetch(started().url + request.path, {
        method: sent,
        headers: request.headers as Record<string, string>,
        ...(sent === 'GET' ? {} : { body: new Uint8Array(body) }),
      });
      const type = answer.headers.get('content-type') ?? 'text/plain';
      response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
    }
    return serve((incoming, response) => void forward(incoming, response));
  }

  async function findings(url: string | null, options: { isBeside?: boolean; of?: readonly object[] } = {}) {
    const { isBeside = true, of = listings } = options;
    const config = loadConfig({ ...environmentWith(of), TALLYHOOK_ROLES: 'receive' });
    const port = isBeside ? Number(new URL(started().url).port) : 0;
    const found = await checkAddress(url, { ...config, http: { host: '127.0.0.1', port }, now: Date.now() });
    return found.map(({ level, message, hint }) => `${level}: ${message} ${hint ?? ''}`.trim());
  }

  it('passes if signed tests of every scheme arrive unchanged, and nothing of them is stored', async () => {
    const proxy = await proxyThat(() => {});
    expect((await findings(`${proxy}/webhooks/vote`)).slice(0, 2)).toEqual([
      `pass: ${proxy} is reachable and rejects unsigned deliveries.`,
      'pass: A signed test for harbour, timed on top.gg, token on Void Bots, jws on discordlist.gg, and anything on capture arrives unchanged.',
    ]);
    expect((await findings(null))[1]).toMatch(/^pass: A signed test for harbour, /);
    expect(await findings(`${proxy}/webhooks/timed`)).toContainEqual(
      'pass: A signed test for timed on top.gg arrives unchanged.',
    );
    const database = new DatabaseSync(started().database);
    expect(database.prepare('select count(*) as count from deliveries').get()).toEqual({ count: 0 });
    database.close();
  });

  it.each<[string, (request: Request) => void, readonly RegExp[]]>([
    [
      'the header of the signature',
      ({ headers }) => {
        delete headers['x-webhook-signature'];
        delete headers['x-topgg-signature'];
      },
      [
        /^fail: A signed test for harbour is lost: the header x-webhook-signature does not arrive/,
        /^fail: A signed test for timed on top.gg is lost: the header x-topgg-signature does not arrive/,
        /^pass: A signed test for token on Void Bots, jws .* arrives unchanged/,
      ],
    ],
    [
      'the header of a token',
      ({ headers }) => delete headers.authorization,
      [/^fail: A signed test for token on Void Bots is lost: the header authorization does not arrive/],
    ],
    [
      'the layout of JSON',
      (request) => {
        if (request.headers['content-type'] !== 'application/json' || !request.body.toString().startsWith('{')) return;
        request.body = Buffer.from(JSON.stringify(JSON.parse(request.body.toString()), null, 1));
      },
      [
        /^fail: A signed test for harbour, token on Void Bots, and anything on capture is lost: its body arrives changed \(\d+ bytes instead of \d+\)/,
        /^fail: A signed test for timed on top.gg is lost: its body or the header x-topgg-signature arrives changed: sent directly, it is accepted/,
        /^pass: A signed test for jws on discordlist.gg arrives unchanged/,
      ],
    ],
    [
      'the body by compressing it',
      (request) => {
        request.body = gzipSync(request.body);
        request.headers['content-encoding'] = 'gzip';
      },
      [/^fail: A delivery to .* is lost: its body arrives compressed/],
    ],
    [
      'the method by following a redirect',
      (request) => {
        request.method = 'GET';
      },
      [/^fail: A delivery to .* is lost: the POST arrives as another method, such as GET/],
    ],
    [
      'the path',
      (request) => {
        request.path = request.path.replace('/webhooks', '/hooks');
      },
      [/is lost: the running tallyhook does not know \/webhooks\/vote, or the path arrives changed/],
    ],
  ])('fails behind a proxy that changes %s, and names that', async (_name, change, expected) => {
    const found = await findings(await proxyThat(change));
    for (const each of expected) expect(found).toContainEqual(expect.stringMatching(each));
    expect(found.join()).toContain('fail: ');
  });

  it('tells another secret of the running program from a change on the way, as far as it can reach both', async () => {
    const of = [{ ...listings[0], voteSecrets: ['another-long-secret-for-tests'] }];
    const proxy = await proxyThat(() => {});
    const lost = 'fail: A signed test for harbour is lost:';
    expect((await findings(null, { of }))[1]).toMatch(`${lost} the running tallyhook has another secret for it.`);
    expect((await findings(proxy, { of }))[1]).toMatch(`${lost} the running tallyhook has another secret for it.`);
    expect((await findings(proxy, { of, isBeside: false }))[1]).toMatch(
      /its body or the header x-webhook-signature arrives changed, or the running tallyhook has another secret for it/,
    );
  });

  it.each<[string, (response: ServerResponse, host: string) => unknown, RegExp]>([
    [
      "Cloudflare's challenge",
      (response) =>
        response
          .writeHead(403, { server: 'cloudflare', 'cf-mitigated': 'challenge', 'content-type': 'text/html' })
          .end('<title>Just a moment...</title>'),
      /^fail: .* answered by Cloudflare with a challenge or block \(cf-mitigated: challenge\).*WAF: add a custom rule/,
    ],
    [
      'a login page at the same address',
      (response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<form><input type="password"></form>'),
      /^fail: .* answered with a login page \(200\)/,
    ],
    [
      'a password',
      (response) => response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('Authorization required'),
      /^fail: .* asks for a password \(Basic\)/,
    ],
    [
      'a redirect to https',
      (response, host) => response.writeHead(301, { location: `https://${host}/webhooks/vote` }).end(),
      /^fail: .* redirects to https:\/\/.* \(301\) \(from http to https\): the POST becomes a GET.* Enter the https URL at the service: https:/,
    ],
    [
      'another program, by name',
      (response) => response.writeHead(404, { server: 'nginx/1.27.0' }).end('<h1>404 Not Found</h1>'),
      /^fail: .* is unknown \(404\) to another program \(nginx\/1\.27\.0\)/,
    ],
    ['a proxy without tallyhook', (response) => response.writeHead(502).end(), /^fail: The proxy .* responds with 502/],
    [
      "ngrok's end of a tunnel",
      (response) => response.writeHead(404, { 'ngrok-error-code': 'ERR_NGROK_3200' }).end(),
      /^fail: .* ngrok, which reports ERR_NGROK_3200/,
    ],
  ])('fails if the answer is %s, and says what to do', async (_name, answer, expected) => {
    const url = await serve((request, response) => void answer(response, request.headers.host ?? ''));
    expect((await findings(url))[0]).toMatch(expected);
    expect(await findings(url)).toHaveLength(1);
  });

  it('names what is wrong with host, port and protocol', async () => {
    const [plain] = await findings(started().url.replace('http:', 'https:'));
    expect(plain).toMatch(/^fail: .*: the port does not speak https\./);
    expect((await findings(await closedUrl()))[0]).toMatch(/does not respond \(ECONNREFUSED\): nothing listens there/);
    expect((await findings('http://127.0.0.1:1'))[0]).toMatch(/a port of another protocol/);
    expect((await findings('http://host.invalid'))[0]).toMatch(/: the host name is unknown\. Correct the address/);
    const [lost] = await findings(null, { isBeside: false });
    expect(lost).toMatch(/^warn: PORT is 0/);
  });
});
