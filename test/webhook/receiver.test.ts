import { request as open } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { rawConnection } from '@tallyhook/platform/testing/raw-http';
import express, { type RequestHandler } from 'express';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { listingsWithCommunity } from '../../src/features/communities/listings.ts';
import { sign } from '../../src/webhook/signature.ts';
import { communityIdsOf, firstCommunity } from '../support/communities.ts';
import { premiumSecret, serverAndBot, voteSecret, withKeyOfOnly } from '../support/listings.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { interfaces, startReceiver } from '../support/start-receiver.ts';

const vote = { event: 'server_vote', userId: '42', serverId: '1', timestamp: '2025-12-31T23:00:00.000Z' };
const purchase = { event: 'premium_purchase', buyer: { userId: '42' }, orderId: 'o-1' };

describe.each(interfaces)('through %s', (through) => {
  describe('a delivery', () => {
    it('is recorded, and later is a duplicate', async () => {
      const { post, store } = await startReceiver({ through });
      expect(await post('/webhooks/vote', vote)).toMatchObject({
        status: 200,
        json: { received: true, outcome: 'recorded' },
      });
      expect(await post('/webhooks', { ...vote, timestamp: '2025-12-31T23:00:00.0001+00:00' })).toMatchObject({
        json: { outcome: 'duplicate' },
      });
      expect(await store.ledgerIn(firstCommunity).account('42')).toEqual({ userId: '42', credits: 10, votes: 1 });
    });

    it('is quarantined when it is signed but cannot be processed', async () => {
      const { post, store } = await startReceiver({ through });
      const odd = [{ event: 'server_vote' }, [], 'null', '"text"', '5', { ...vote, creditsAwarded: -1 }];
      for (const payload of [{ event: 'surprise' }, ...odd]) {
        expect(await post('/webhooks/vote', payload)).toMatchObject({ status: 200, json: { outcome: 'quarantined' } });
      }
      const deliveries = await store.records.deliveries({ outcome: 'quarantined', limit: 50, before: null });
      expect(deliveries).toHaveLength(7);
      expect(deliveries.at(-1)).toMatchObject({ body: '{"event":"surprise"}', kind: 'surprise', credits: 0 });
    });

    it('has the outcome test every time if it is a test, and pays nothing', async () => {
      const { post, store } = await startReceiver({ through });
      for (let attempt = 0; attempt < 2; attempt += 1) {
        expect(await post('/webhooks/vote', { ...vote, test: true })).toMatchObject({ json: { outcome: 'test' } });
      }
      expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ credits: 0, votes: 0 });
      expect(await store.records.effects({ state: 'waiting', limit: 9, before: null })).toHaveLength(2);
    });
  });

  describe('a rejection', () => {
    it('checks in the order method, encoding, size, signature, JSON', async () => {
      const { post } = await startReceiver({ through });
      const get = await post('/webhooks/vote', '', { method: 'GET' });
      expect(get).toMatchObject({ status: 405, json: { success: false, error: expect.stringMatching(/https/) } });
      expect(get.headers.get('allow')).toBe('POST');
      const compressed = { 'content-encoding': 'gzip' };
      expect((await post('/webhooks/vote', gzipSync('{}').toString('latin1'), { headers: compressed })).status).toBe(
        415,
      );
      expect((await post('/webhooks/vote', 'x'.repeat(64 * 1024 + 1), { headers: compressed })).status).toBe(415);
      expect((await post('/webhooks/vote', 'x'.repeat(64 * 1024 + 1), { secret: null })).status).toBe(413);
      expect((await post('/webhooks/vote', 'not json', { secret: null })).status).toBe(401);
      expect((await post('/webhooks/vote', 'not json')).status).toBe(400);
      expect((await post('/webhooks/vote', '')).status).toBe(400);
      expect((await post('/webhooks/vote', '', { secret: null })).status).toBe(401);
      expect((await post('/webhooks/vote', `\uFEFF${JSON.stringify(vote)}`)).status).toBe(400);
    });

    it('applies to bodies of more than exactly 64 KiB', async () => {
      const { post } = await startReceiver({ through });
      const padded = (size: number) => `{"event":"x","pad":"${'p'.repeat(size - 22)}"}`;
      expect(await post('/webhooks/vote', padded(64 * 1024))).toMatchObject({ status: 200 });
      expect(await post('/webhooks/vote', padded(64 * 1024 + 1))).toMatchObject({ status: 413 });
    });

    it('does not wait for the end of a body that is too large', async () => {
      const { url } = await startReceiver({ through });
      const { port } = new URL(url);
      const head = 'POST /webhooks/vote HTTP/1.1\r\nHost: x\r\n';
      const response = await new Promise<string>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n4000\r\n${'x'.repeat(0x4000)}\r\n`);
        for (let chunk = 0; chunk < 5; chunk += 1) socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`);
        socket.on('data', (data) => {
          resolve(data.toString());
          socket.destroy();
        });
      });
      expect(response).toMatch(/^HTTP\/1.1 413 /);
    });

    it('precedes the body if the headers suffice, so that a flood of requests holds no connections', async () => {
      const { url, post } = await startReceiver({ through });
      const head = `POST /webhooks/vote HTTP/1.1\r\nHost: x\r\nContent-Length: ${60 * 1024}\r\n`;
      const headers = ['', 'Authorization: my value\r\n', 'x-webhook-signature: 0\r\n'];
      const flood = Array.from({ length: 300 }, (_, place) => {
        const connection = rawConnection(url);
        connection.write(`${head}${headers[place % headers.length]}\r\nincomplete body`);
        return connection.waitForResponse(/ 401 .*"success":false/s);
      });
      expect((await post('/webhooks/vote', vote)).json).toMatchObject({ outcome: 'recorded' });
      await Promise.all(flood);
    });

    it('is the response to arbitrary bytes and headers', async () => {
      const { url, store } = await startReceiver({ through });
      const unit = fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code === 0x7f ? 0x20 : code));
      const header = fc.string({ unit });
      const headers = fc.record(
        {
          'x-webhook-signature': fc.oneof(header, fc.stringMatching(/^[0-9a-f]{64}$/)),
          authorization: header,
          'content-type': header,
          'content-encoding': fc.oneof(header, fc.constant('identity')),
          cookie: header,
          'x-forwarded-for': header,
        },
        { requiredKeys: [] },
      );
      const path = fc.constantFrom('/webhooks', '/webhooks/vote', '/webhooks/premium', '/webhooks/vote?a[__proto__]=1');
      await fc.assert(
        fc.asyncProperty(path, fc.constantFrom('POST', 'PUT', 'GET'), headers, fc.uint8Array(), async (...request) => {
          const { status, text } = await sendRequest(url, ...request);
          expect([401, 405, 415]).toContain(status);
          expect(JSON.parse(text)).toEqual({ success: false, error: expect.any(String) });
        }),
        { numRuns: 300 },
      );
      expect(await store.records.deliveries({ outcome: null, limit: 9, before: null })).toEqual([]);
    });

    it('is logged, and repeats are throttled', async () => {
      const clock = manualClock();
      const { post, lines } = await startReceiver({ through, clock });
      for (let attempt = 0; attempt < 5; attempt += 1) await post('/webhooks/vote', vote, { secret: null });
      expect(lines.filter((line) => line.includes('rejected'))).toHaveLength(1);
      await clock.advance(10_000);
      await post('/webhooks/vote', vote, { secret: null });
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
        status: 401,
        suppressed: 4,
        reason: expect.stringContaining('missing'),
      });
    });

    it('applies to every delivery if no secret is configured', async () => {
      const { post } = await startReceiver({
        through,
        listings: serverAndBot({ voteSecrets: [], premiumSecrets: [] }),
      });
      const refused = { status: 401, json: { error: expect.stringMatching(/^No secret is set for this address/) } };
      expect(await post('/webhooks/vote', vote)).toMatchObject(refused);
      expect(await post('/webhooks/vote', vote, { secret: '' })).toMatchObject(refused);
    });
  });
});

describe('the family', () => {
  it('must be the same for the secret, the path and the event', async () => {
    const { post, store } = await startReceiver();
    const premium = { secret: premiumSecret };
    expect((await post('/webhooks/premium', purchase, premium)).json).toMatchObject({ outcome: 'recorded' });
    expect((await post('/webhooks', { ...purchase, orderId: 'o-2' }, premium)).json).toMatchObject({
      outcome: 'recorded',
    });
    for (const [path, payload, options] of [
      ['/webhooks/vote', purchase, {}],
      ['/webhooks/vote', purchase, premium],
      ['/webhooks/premium', purchase, {}],
      ['/webhooks/premium', vote, premium],
      ['/webhooks/vote', vote, premium],
      ['/webhooks', purchase, {}],
      ['/webhooks', vote, premium],
      ['/webhooks/premium', { ...vote, test: true }, premium],
    ] as const) {
      expect((await post(path, payload, options)).status, `${path} ${payload.event}`).toBe(401);
    }
    expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ credits: 200, votes: 0 });
  });
});

/** Two servers with the same secrets. */
function redAndBlue() {
  const [server] = serverAndBot();
  return [
    { ...server, name: 'red', id: '111' },
    { ...server, name: 'blue', id: '222' },
  ];
}

describe('several secrets', () => {
  it('determine the listing, together with the target ID if several of a kind share a secret', async () => {
    const [server] = serverAndBot();
    const listings = [...redAndBlue(), { ...server, name: 'own', id: '333', voteSecrets: ['own-secret'] }];
    const { post, store } = await startReceiver({ listings });
    await post('/webhooks/vote', { ...vote, serverId: '222' });
    await post('/webhooks/vote', { ...vote, serverId: '111' });
    await post('/webhooks/vote', { ...vote, serverId: '999' });
    await post('/webhooks/vote', { ...vote, serverId: '999' }, { secret: 'own-secret' });
    const rows = await store.records.deliveries({ outcome: null, limit: 9, before: null });
    expect(rows.map(({ listing, outcome }) => [listing, outcome]).reverse()).toEqual([
      ['blue', 'recorded'],
      ['red', 'recorded'],
      [null, 'quarantined'],
      ['own', 'recorded'],
    ]);
  });

  it('alone determine the listing of a purchase and of a test if they belong to one listing', async () => {
    const [, bot] = serverAndBot();
    const { post } = await startReceiver({ listings: [bot] });
    const premium = { secret: premiumSecret };
    expect((await post('/webhooks/premium', { ...purchase, serverId: '5' }, premium)).json).toMatchObject({
      outcome: 'recorded',
    });
    expect((await post('/webhooks/vote', { test: true })).json).toMatchObject({ outcome: 'test' });
    expect((await post('/webhooks/vote', vote)).json).toMatchObject({ outcome: 'quarantined' });
  });

  it('leave the listing of a later event of an order to the stored order', async () => {
    const { post, store } = await startReceiver({ listings: redAndBlue() });
    const renewal = {
      ...purchase,
      event: 'subscription.renewed',
      serverId: '222',
      currentPeriodEnd: '2026-02-01T00:00:00Z',
    };
    for (const payload of [
      { event: 'subscription.revoked', orderId: 'unknown' },
      { ...purchase, serverId: '222' },
      { event: 'subscription.expired', orderId: 'o-1' },
      { event: 'subscription.revoked', orderId: 'o-1' },
      renewal,
    ]) {
      await post('/webhooks/premium', payload, { secret: premiumSecret });
    }
    const rows = await store.records.deliveries({ outcome: null, limit: 9, before: null });
    expect(rows.map(({ kind, listing, outcome, credits }) => [kind, listing, outcome, credits]).reverse()).toEqual([
      ['subscription.revoked', null, 'quarantined', 0],
      ['premium_purchase', 'blue', 'recorded', 100],
      ['subscription.expired', 'blue', 'recorded', 0],
      ['subscription.revoked', 'blue', 'recorded', 0],
      ['subscription.renewed', 'blue', 'recorded', 0],
    ]);
  });

  it('leave an event that names neither the server nor the bot of a secret to the stored order', async () => {
    const { post, store } = await startReceiver({ listings: serverAndBot() });
    for (const payload of [
      { ...purchase, vendor: { type: 'bot', id: '5' } },
      { ...purchase, event: 'subscription.renewed', currentPeriodEnd: '2026-02-01T00:00:00Z' },
      { event: 'subscription.revoked', orderId: 'o-1' },
      { ...purchase, orderId: 'o-2' },
    ]) {
      await post('/webhooks/premium', payload, { secret: premiumSecret });
    }
    const rows = await store.records.deliveries({ outcome: null, limit: 9, before: null });
    expect(rows.map(({ kind, listing, outcome }) => [kind, listing, outcome]).reverse()).toEqual([
      ['premium_purchase', 'bot', 'recorded'],
      ['subscription.renewed', 'bot', 'recorded'],
      ['subscription.revoked', 'bot', 'recorded'],
      ['premium_purchase', 'server', 'recorded'],
    ]);
  });

  it('quarantine a purchase that may be for either of two listings, and assign a test to the first', async () => {
    const { post } = await startReceiver({ listings: redAndBlue() });
    expect((await post('/webhooks/premium', purchase, { secret: premiumSecret })).json).toMatchObject({
      outcome: 'quarantined',
    });
    expect((await post('/webhooks/vote', { test: true })).json).toMatchObject({ outcome: 'test' });
  });
});

describe('a vote that names only its voter', () => {
  const minimal = { userId: '42', creditsAwarded: 7 };
  const listingsOf = async ({ store }: Awaited<ReturnType<typeof startReceiver>>) =>
    (await store.records.deliveries({ outcome: null, limit: 9, before: null }))
      .map(({ listing, kind, outcome }) => [listing, kind, outcome])
      .reverse();

  it('is for the only listing of its secret, on the vote path and the common path', async () => {
    const [server, bot] = serverAndBot();
    const listings = [...redAndBlue(), { ...bot, voteSecrets: ['of the bot'] }, { ...server, voteSecrets: ['own'] }];
    const receiver = await startReceiver({ listings });
    await receiver.post('/webhooks/vote', minimal, { secret: 'own' });
    await receiver.post('/webhooks', minimal, { secret: 'of the bot' });
    await receiver.post('/webhooks/vote', minimal);
    expect(await listingsOf(receiver)).toEqual([
      ['server', 'server_vote', 'recorded'],
      ['bot', 'bot_vote', 'recorded'],
      [null, null, 'quarantined'],
    ]);
    expect(await receiver.store.ledgerIn(firstCommunity).account('42')).toEqual({
      userId: '42',
      credits: 14,
      votes: 2,
    });
  });

  it('is for the listing with an API key if variables describe both and only one has a key', async () => {
    for (const kind of ['server', 'bot'] as const) {
      const receiver = await startReceiver({ listings: withKeyOfOnly(kind) });
      await receiver.post('/webhooks/vote', minimal);
      await receiver.post('/webhooks/vote', { ...minimal, test: true });
      expect(await listingsOf(receiver)).toEqual([
        [kind, `${kind}_vote`, 'recorded'],
        [kind, `${kind}_vote`, 'test'],
      ]);
    }
    const { listings } = loadConfig(settings(unreachableDiscord));
    const configured = await startReceiver({ listings: listingsWithCommunity(listings, communityIdsOf(listings)) });
    await configured.post('/webhooks/vote', minimal);
    expect(await listingsOf(configured)).toEqual([['server', 'server_vote', 'recorded']]);
    const both = await startReceiver();
    await both.post('/webhooks/vote', minimal);
    expect(await listingsOf(both)).toEqual([[null, null, 'quarantined']]);
  });

  it('may be unsigned if it is for a server, and is quarantined if it is for a bot', async () => {
    const withValue = { secret: null, headers: { authorization: 'my value' } };
    const outcomes = { server: 'recorded', bot: 'quarantined' } as const;
    for (const kind of ['server', 'bot'] as const) {
      const { post } = await startReceiver({ listings: withKeyOfOnly(kind, { voteAuthorization: 'my value' }) });
      expect((await post('/webhooks/vote', minimal, withValue)).json).toMatchObject({ outcome: outcomes[kind] });
      expect((await post('/webhooks/vote', { test: true }, withValue)).json).toMatchObject({ outcome: 'test' });
    }
    const { post } = await startReceiver({ listings: serverAndBot({ voteAuthorization: 'my value' }) });
    expect((await post('/webhooks/vote', minimal, withValue)).json).toMatchObject({ outcome: 'quarantined' });
  });
});

describe('unsigned votes with an Authorization value', () => {
  const listings = serverAndBot({ voteAuthorization: 'my value' });
  const withValue = { secret: null, headers: { authorization: 'my value' } };

  it('are accepted if the owner opted in, and rejected with another value, on the premium path, for other events, and with a wrong signature', async () => {
    const { post } = await startReceiver({ listings });
    expect((await post('/webhooks/vote', vote, withValue)).json).toMatchObject({ outcome: 'recorded' });
    expect((await post('/webhooks', vote, withValue)).json).toMatchObject({ outcome: 'duplicate' });
    const otherValue = { secret: null, headers: { authorization: 'My value' } };
    expect((await post('/webhooks/vote', vote, otherValue)).status).toBe(401);
    expect((await post('/webhooks/premium', vote, withValue)).status).toBe(401);
    expect((await post('/webhooks/premium', purchase, withValue)).status).toBe(401);
    expect((await post('/webhooks', purchase, withValue)).status).toBe(401);
    expect((await post('/webhooks/vote', { ...vote, event: 'bot_vote' }, withValue)).status).toBe(401);
    expect((await post('/webhooks/vote', vote, { ...withValue, signature: '0'.repeat(64) })).status).toBe(401);
  });
});

describe('another Express app', () => {
  const mounted = (before: RequestHandler) => startReceiver({ before: (app) => app.use(before) });
  const pretty = JSON.stringify(vote, null, 2);

  it('may keep the bytes or the text of a body that a parser has read', async () => {
    const keep = (read: (body: Buffer) => unknown) =>
      express.json({ verify: (request, _response, body) => void Object.assign(request, { rawBody: read(body) }) });
    const keepers = [
      keep((body) => body),
      keep((body) => body.toString()),
      keep((body) => Uint8Array.from(body)),
      express.raw({ type: () => true }),
      express.text({ type: () => true }),
    ];
    for (const keeper of keepers) {
      const { post } = await mounted(keeper);
      expect((await post('/webhooks/vote', pretty)).json).toMatchObject({ outcome: 'recorded' });
      expect((await post('/webhooks/vote', `${pretty} `, { signature: sign(pretty, voteSecret) })).status).toBe(401);
      expect((await post('/webhooks/vote', pretty, { secret: null })).status).toBe(401);
    }
  });

  it('may parse the body before, if the service has signed what JSON.stringify writes', async () => {
    const { post, store } = await mounted(express.json({ limit: '1mb' }));
    const signature = sign(JSON.stringify(vote), voteSecret);
    expect((await post('/webhooks/vote', vote)).json).toMatchObject({ outcome: 'recorded' });
    expect((await post('/webhooks/vote', pretty, { signature })).json).toMatchObject({ outcome: 'duplicate' });
    const [row] = await store.records.deliveries({ outcome: 'recorded', limit: 1, before: null });
    expect(row?.body).toBe(JSON.stringify(vote));
    const otherLayout = await post('/webhooks/vote', pretty);
    expect(otherLayout).toMatchObject({
      status: 401,
      json: { error: expect.stringMatching(/^The signature does not match.*parser.*before express\.json\(\)/) },
    });
    expect((await post('/webhooks/vote', vote, { secret: null })).status).toBe(401);
    expect((await post('/webhooks/vote', { ...vote, pad: 'x'.repeat(64 * 1024) })).status).toBe(413);
    expect((await post('/webhooks/vote', JSON.stringify(vote) + ' '.repeat(64 * 1024), { signature })).status).toBe(
      413,
    );
    const deep = '['.repeat(3_000) + ']'.repeat(3_000);
    expect((await post('/webhooks/vote', deep)).status).toBe(401);
    expect((await post('/webhooks/vote', deep, { secret: null })).json['error']).toContain('missing');
  });

  it('gets a specific error if the body was already consumed', async () => {
    const { post, lines } = await mounted((request, _response, next) => request.resume().once('end', () => next()));
    const response = await post('/webhooks/vote', vote);
    expect(response).toMatchObject({
      status: 503,
      json: { error: expect.stringMatching(/already consumed.*express\.json\(\)/) },
    });
    expect(response.headers.get('retry-after')).toBe('60');
    expect(lines.join()).toContain('already consumed');
  });

  it('may respond itself before the delivery is stored', async () => {
    const { post, store } = await mounted((_request, response, next) => {
      next();
      response.status(504).end();
    });
    expect((await post('/webhooks/vote', vote)).status).toBe(504);
    await expect.poll(async () => (await store.ledgerIn(firstCommunity).account('42')).votes).toBe(1);
  });
});

/** Like `fetch`, which does not send every header. */
function sendRequest(
  url: string,
  path: string,
  method: string,
  headers: Record<string, string>,
  body: Uint8Array,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = open(
      url + path,
      { method, headers: { ...headers, 'content-length': body.length } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (data: string) => (text += data));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
