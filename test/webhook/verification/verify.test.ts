import { hash } from 'node:crypto';
import { inspect } from 'node:util';
import express from 'express';
import { describe, expect, it } from 'vitest';
import * as node from '../../../src/webhook/signature.ts';
import type { HeadersLike, Secret, VerifyOptions, WebhookSecrets } from '../../../src/webhook/verification/request.ts';
import { VerificationError } from '../../../src/webhook/verification/verification-error.ts';
import { type DeliveryRequest, verify } from '../../../src/webhook/verification/verify.ts';
import { serve } from '../../support/start-receiver.ts';

const now = Date.UTC(2026, 5, 15);
const vote = { event: 'server_vote', userId: '42', serverId: '1', timestamp: '2026-06-14T12:00:00.000Z' };
const body = JSON.stringify(vote);

function signed(text: string, secret = 'secret'): DeliveryRequest {
  return { headers: { 'x-webhook-signature': node.sign(text, secret) }, body: text };
}

async function codeOf(
  request: DeliveryRequest,
  secrets: Secret | WebhookSecrets = 'secret',
  options: VerifyOptions = {},
): Promise<string> {
  try {
    return (await verify(request, secrets, { now, ...options })).type;
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    return `${error.status} ${error.code}`;
  }
}

describe('verify', () => {
  it('returns the event of a genuine delivery', async () => {
    expect(await verify(signed(body), 'secret', { now })).toEqual({
      type: 'vote',
      kind: 'server_vote',
      listing: { kind: 'server', id: '1' },
      userId: '42',
      at: Date.UTC(2026, 5, 14, 12),
      ...{ credits: null, denied: false, reason: null },
      key: `${Date.UTC(2026, 5, 14, 12).toString(16).padStart(12, '0')}${hash('sha256', '42 server 1').slice(0, 20)}`,
      raw: body,
    });
    const purchase = JSON.stringify({ event: 'premium_purchase', buyer: { userId: '42' }, orderId: 'o-1' });
    expect(await verify(signed(purchase), { premium: 'secret' })).toMatchObject({
      type: 'premium',
      orderIds: ['o-1'],
    });
  });

  it.each<[platform: string, event: (signature: string, base64: string) => object]>([
    [
      'API Gateway and Lambda function URLs',
      (signature, base64) => ({
        version: '2.0',
        headers: { 'x-webhook-signature': signature, 'content-length': '1' },
        requestContext: { http: { method: 'POST' } },
        ...{ body: base64, isBase64Encoded: true },
      }),
    ],
    [
      'REST APIs and Netlify',
      (signature) => ({
        headers: { 'X-Webhook-Signature': signature },
        multiValueHeaders: { 'X-Webhook-Signature': [signature] },
        ...{ httpMethod: 'POST', body: ` ${body}`, isBase64Encoded: false },
      }),
    ],
    [
      'load balancers of AWS',
      (signature, base64) => ({
        multiValueHeaders: { 'x-webhook-signature': [signature] },
        ...{ httpMethod: 'POST', body: base64, isBase64Encoded: true },
      }),
    ],
    [
      'Google Cloud',
      (signature) => ({
        headers: { 'x-webhook-signature': signature },
        ...{ body: JSON.parse(body), rawBody: Buffer.from(` ${body}`), method: 'POST' },
      }),
    ],
    [
      'Azure',
      (signature) => ({
        headers: { 'x-webhook-signature': signature },
        ...{ method: 'POST', body: JSON.parse(body), rawBody: ` ${body}` },
      }),
    ],
  ])('takes the events of %s as they are', async (_platform, event) => {
    const sent = ` ${body}`;
    const request = event(node.sign(sent, 'secret'), Buffer.from(sent).toString('base64')) as DeliveryRequest;
    expect(await codeOf(request)).toBe('vote');
    expect(await codeOf(request, 'another')).toBe('401 webhook_signature_mismatch');
  });

  it('names the form of a request that it cannot take', async () => {
    const inBase64 = { ...signed(body), body: Buffer.from(body).toString('base64') };
    await expect(verify(inBase64, 'secret')).rejects.toThrow('The body is in base64');
    expect(await codeOf({ ...inBase64, isBase64Encoded: true, body: '%' })).toBe('503 webhook_body_unavailable');
    for (const name of ['http', 'req', 'request']) {
      const wrapped = { [name]: signed(body) } as unknown as DeliveryRequest;
      await expect(verify(wrapped, 'secret')).rejects.toMatchObject({
        hint: expect.stringContaining(`property ${name}`),
      });
    }
  });

  it('marks a test from the dashboard as a test, not as a vote', async () => {
    const test = await verify(signed(JSON.stringify({ ...vote, test: true })), 'secret', { now });
    const listing = { kind: 'server', id: '1' };
    const raw = JSON.stringify({ ...vote, test: true });
    expect(test).toEqual({ type: 'test', kind: 'server_vote', userId: '42', listing, key: null, raw });
  });

  it('accepts headers of every kind', async () => {
    const signature = node.sign(body, 'secret');
    const kinds: HeadersLike[] = [
      { 'x-webhook-signature': signature },
      { 'X-Webhook-Signature': signature, accept: undefined },
      { 'x-webhook-signature': [signature], 'set-cookie': ['a', 'b'] },
      new Headers({ 'X-WEBHOOK-SIGNATURE': signature }),
      new Map([['X-Webhook-Signature', signature]]),
      [['X-Webhook-Signature', signature]],
      { 'x-webhook-signature': ` \t${signature} ` },
      { get: (name) => (name === 'x-webhook-signature' ? signature : null) },
    ];
    for (const headers of kinds) expect(await codeOf({ headers, body }), inspect(headers)).toBe('vote');
    const twice = { 'x-webhook-signature': signature, 'X-Webhook-Signature': signature };
    expect(await codeOf({ headers: twice, body })).toBe('401 webhook_signature_malformed');
  });

  it('accepts several secrets during a rotation, and leaves out missing ones', async () => {
    expect(await codeOf(signed(body, 'old'), ['new', 'old', undefined, ''])).toBe('vote');
    expect(await codeOf(signed(body, 'older'), ['new', 'old'])).toBe('401 webhook_signature_mismatch');
  });

  it('accepts nothing without a secret', async () => {
    const emptyKey = '0'.repeat(64);
    await expect(verify(signed(body), undefined)).rejects.toMatchObject({ code: 'webhook_secret_missing' });
    for (const secrets of ['', [], [''], [undefined], {}, { vote: '' }, { vote: [], premium: '' }]) {
      expect(await codeOf(signed(body), secrets), inspect(secrets)).toBe('401 webhook_secret_missing');
      expect(await codeOf({ headers: { 'x-webhook-signature': emptyKey }, body }, secrets)).toMatch('401');
    }
    // Callers in JavaScript.
    for (const secrets of [null, 5, [null], { vote: 7 }] as unknown as Secret[]) {
      expect(await codeOf(signed(body), secrets), inspect(secrets)).toBe('401 webhook_secret_missing');
    }
  });

  it('requires the secret of the family of the event', async () => {
    const secrets = { vote: 'secret', premium: 'premium-secret' };
    const purchase = JSON.stringify({ event: 'premium_purchase', buyer: { userId: '42' } });
    expect(await codeOf(signed(purchase, 'premium-secret'), secrets)).toBe('premium');
    expect(await codeOf(signed(purchase, 'secret'), secrets)).toBe('401 webhook_wrong_family');
    expect(await codeOf(signed(body, 'premium-secret'), secrets)).toBe('401 webhook_wrong_family');
    expect(await codeOf(signed(purchase), 'secret')).toBe('401 webhook_wrong_family');
  });

  it('accepts an unsigned server vote with the configured Authorization header alone', async () => {
    const unsigned = { headers: { authorization: 'Bearer x' }, body };
    expect(await codeOf(unsigned, { authorization: 'Bearer x' })).toBe('vote');
    for (const authorization of ['Bearer y', 'bearer x', '', undefined])
      expect(await codeOf(unsigned, { vote: 'secret', authorization })).toBe('401 webhook_signature_missing');
    const wrong = { headers: { authorization: 'Bearer x', 'x-webhook-signature': '0'.repeat(64) }, body };
    expect(await codeOf(wrong, { authorization: 'Bearer x' })).toBe('401 webhook_signature_mismatch');
    const botVote = { ...unsigned, body: '{"event":"bot_vote","userId":"42"}' };
    expect(await codeOf(botVote, { authorization: 'Bearer x' })).toBe('401 webhook_vote_unsigned');
  });

  it('names the reason of every other rejection', async () => {
    const cases: readonly (readonly [DeliveryRequest, string])[] = [
      [{ ...signed(body), method: 'GET' }, '405 webhook_method'],
      [{ headers: { 'content-encoding': 'gzip' }, body }, '415 webhook_body_encoded'],
      [{ headers: {}, body }, '401 webhook_signature_missing'],
      [{ headers: { 'x-webhook-signature': 'ab' }, body }, '401 webhook_signature_malformed'],
      [signed(''), '400 webhook_body_empty'],
      [signed('{'), '400 webhook_body_not_json'],
      [signed(`\ufeff${body}`), '400 webhook_body_not_json'],
      [signed(body.padEnd(65_536)), 'vote'],
      [signed(body.padEnd(65_537)), '413 webhook_body_too_large'],
      [signed('{"event":"surprise"}'), '200 webhook_unprocessable'],
      [signed(JSON.stringify({ ...vote, timestamp: '2026-06-15T00:05:01Z' })), '200 webhook_unprocessable'],
      [{ headers: signed(body).headers }, '503 webhook_body_unavailable'],
      // A parsed body whose layout is lost, or that JSON cannot contain.
      [{ headers: signed(JSON.stringify(vote, null, 2)).headers, body: vote }, '401 webhook_signature_mismatch'],
      [{ headers: signed(body).headers, body: 5n }, '401 webhook_signature_mismatch'],
    ];
    for (const [request, expected] of cases) expect(await codeOf(request), expected).toBe(expected);
  });

  it('rejects an event that is older than maxAgeMs, or whose age is not known', async () => {
    const age = now - Date.UTC(2026, 5, 14, 12);
    expect(await codeOf(signed(body), 'secret', { maxAgeMs: age })).toBe('vote');
    expect(await codeOf(signed(body), 'secret', { maxAgeMs: age - 1 })).toBe('200 webhook_too_old');
    const untimed = signed(JSON.stringify({ ...vote, timestamp: undefined }));
    expect(await codeOf(untimed, 'secret', { maxAgeMs: age })).toBe('200 webhook_too_old');
    expect(await codeOf(untimed, 'secret')).toBe('vote');
    const test = signed('{"event":"server_vote","test":true}');
    expect(await codeOf(test, 'secret', { maxAgeMs: 0 })).toBe('test');
    const error: unknown = await verify(signed(body), 'secret', { now, maxAgeMs: 1 }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ message: expect.stringContaining('2026-06-14T12:00:00.000Z'), raw: body });
  });

  it('keeps the text of what is genuine, but not understood', async () => {
    for (const [text, raw] of [
      ['{"event":"surprise"}', '{"event":"surprise"}'],
      ['{', null],
    ]) {
      const error: unknown = await verify(signed(text ?? ''), 'secret').catch((reason: unknown) => reason);
      expect((error as VerificationError).raw).toBe(raw);
    }
    const layout = { headers: signed('{"event":"surprise"}').headers, body: '{ "event": "surprise" }' };
    await expect(verify(layout, 'secret')).rejects.toMatchObject({ raw: '{"event":"surprise"}' });
  });

  it.each([
    [{ maxAge: 5 }, 'maxAge is not an option of verify.', /maxAgeMs/],
    [{ secrets: 'x' }, 'secrets is not an option of verify.', 'The options are kind, now, maxAgeMs.'],
    [{ maxAgeMs: '5m' }, 'The option maxAgeMs of verify is invalid.', /milliseconds/],
    [{ maxAgeMs: Number.NaN }, 'The option maxAgeMs of verify is invalid.', /milliseconds/],
    [{ now: new Date() }, 'The option now of verify is invalid.', /Date\.now/],
    [{ kind: 'guild' }, 'The option kind of verify is invalid.', /'server', 'bot' or null/],
    [null, 'The options of verify are not an object.', /maxAgeMs/],
  ])('rejects an option that would accept too much: %j', async (options, message, hint) => {
    const expected = { code: 'invalid_options', message, hint: expect.stringMatching(hint) };
    await expect(verify(signed(body), 'secret', options as VerifyOptions)).rejects.toMatchObject(expected);
  });

  it.each([
    [{ vote: 'secret', premum: 'other' }, 'premum', 'Pass an object with vote, premium, authorization.'],
    [{ secrets: ['secret'] }, 'secrets', 'Pass an object with vote, premium, authorization.'],
    [{ site: 'topgg', secret: 'secret' }, 'secret', 'Pass an object with site, secrets, id.'],
  ])('rejects a secret that would be left out: %j', async (secrets, name, hint) => {
    const expected = { code: 'invalid_options', message: `${name} is not one of the secrets of verify.`, hint };
    await expect(verify(signed(body), secrets as WebhookSecrets)).rejects.toMatchObject(expected);
  });

  it('never quotes a secret or the body', async () => {
    const secrets = ['first-private-text', 'second-private-text'];
    for (const text of [
      '{"event":"private-text"}',
      'private-text',
      '{"userId":"private-text","event":"server_vote"}',
    ]) {
      for (const secret of ['first-private-text', 'unknown']) {
        const error: unknown = await verify(signed(text, secret), secrets).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(VerificationError);
        expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('private-text');
      }
    }
  });
});

describe('a body', () => {
  const { headers } = signed(body);

  it('is accepted in every form', async () => {
    const bytes = new TextEncoder().encode(body);
    const larger = new Uint8Array([0, ...bytes, 0]);
    for (const form of [
      body,
      bytes,
      bytes.buffer,
      Buffer.from(body),
      larger.subarray(1, -1),
      new DataView(larger.buffer, 1, bytes.length),
      new Blob([bytes]).stream(),
      vote,
    ])
      expect(await codeOf({ headers, body: form }), inspect(form)).toBe('vote');
  });

  it('of a web request is read once, and never beyond the limit', async () => {
    const request = new Request('http://localhost/', { method: 'POST', headers: headers as HeadersInit, body });
    expect(await codeOf(request)).toBe('vote');
    expect(await codeOf(request)).toBe('503 webhook_body_unavailable');
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(10_000));
      },
    });
    expect(await codeOf({ headers, body: endless })).toBe('413 webhook_body_too_large');
    expect(pulled).toBeLessThan(10);
    expect(await codeOf({ headers: { 'content-length': '65537' }, body: endless })).toMatch('413');
    const failing = new ReadableStream({ pull: () => Promise.reject(new Error('connection closed')) });
    expect(await codeOf({ headers, body: failing })).toBe('503 webhook_body_unavailable');
    const empty = new Request('http://localhost/', { method: 'POST', headers: signed('').headers as HeadersInit });
    expect(await codeOf(empty)).toBe('400 webhook_body_empty');
  });

  it("of Node's and Express's requests is read, or taken from a body parser", async () => {
    const app = express();
    app.post('/unread', async (request, response) => void response.send(await codeOf(request)));
    app.post('/raw', express.raw({ type: () => true }), async (request, response) => {
      response.send(await codeOf(request));
    });
    app.post('/json', express.json(), async (request, response) => void response.send(await codeOf(request)));
    const keep = express.json({ verify: (request, _response, rawBody) => void Object.assign(request, { rawBody }) });
    app.post('/kept', keep, async (request, response) => void response.send(await codeOf(request)));
    app.post('/consumed', async (request, response) => {
      for await (const _chunk of request);
      response.send(await codeOf(request));
    });
    const post = async (url: string, text = body) => {
      const sent = { 'content-type': 'application/json', 'x-webhook-signature': node.sign(text, 'secret') };
      return (await fetch(url, { method: 'POST', headers: sent, body: text })).text();
    };
    const url = await serve(app);
    for (const path of ['unread', 'raw', 'json']) expect(await post(`${url}/${path}`), path).toBe('vote');
    expect(await post(`${url}/consumed`)).toBe('503 webhook_body_unavailable');
    expect(await post(`${url}/unread`, body.padEnd(70_000))).toBe('413 webhook_body_too_large');
    const pretty = JSON.stringify(vote, null, 2);
    expect(await post(`${url}/raw`, pretty)).toBe('vote');
    expect(await post(`${url}/kept`, pretty)).toBe('vote');
    expect(await post(`${url}/json`, pretty)).toBe('401 webhook_signature_mismatch');

    const ofNode = await serve((request, response) => void codeOf(request).then((code) => response.end(code)));
    expect(await post(ofNode)).toBe('vote');
  });
});
