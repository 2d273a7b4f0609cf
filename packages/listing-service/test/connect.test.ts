import { createHash, randomBytes } from 'node:crypto';
import { minute } from '@tallyhook/platform/durations';
import { expect, it } from 'vitest';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { ask, ownerId, type Running, receiver, running, serverId } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

const origin = 'http://127.0.0.1:8099';
const verifier = randomBytes(32).toString('base64url');
const state = 'state-of-the-tests';

const asked = (changes: Record<string, unknown> = {}) => ({
  name: 'Harbour <bot>',
  guild: serverId,
  member: ownerId,
  redirect_uri: `${origin}/connect/callback?from=service`,
  state,
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  webhooks: { vote: `${origin}/webhooks/a/vote`, premium: `${origin}/webhooks/a/premium` },
  ...changes,
});

function post({ service }: Running, path: string, body: object, headers: Record<string, string> = {}) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  return ask(service.url + path, { ...init, body: JSON.stringify(body) });
}

async function begin(all: Running, changes: Record<string, unknown> = {}): Promise<string> {
  const { status, json, text } = await post(all, '/connect/requests', asked(changes));
  expect([status, text]).toEqual([201, expect.any(String)]);
  return new URL(String(json['consent_url'])).pathname;
}

/** Approves a request as its owner; returns the query of the redirect. */
async function approve(all: Running, path: string): Promise<URLSearchParams> {
  const { status, headers } = await (await visit(all, ownerId)).send(path, { decision: 'connect' });
  expect(status).toBe(303);
  const url = new URL(headers.get('location') ?? '');
  expect(url.origin + url.pathname).toBe(`${origin}/connect/callback`);
  return url.searchParams;
}

const exchange = (all: Running, code: string | null, changes: Record<string, string> = {}) =>
  post(all, '/connect/token', { code, code_verifier: verifier, redirect_uri: asked().redirect_uri, ...changes });

describeOnBothDatabases('connecting a bot to a listing', (newDatabase) => {
  it('gives the bot a key and secrets for what its owner has seen, once', async () => {
    const hooks = await receiver();
    const { origin: bot } = new URL(hooks.url);
    const all = await running({ database: newDatabase() });
    const offer = await ask(`${all.service.url}/.well-known/vote-connect`);
    expect(offer.json).toEqual({
      version: 1,
      request_endpoint: `${all.service.url}/connect/requests`,
      token_endpoint: `${all.service.url}/connect/token`,
      test_endpoint: `${all.service.url}/connect/test`,
    });
    const urls = { redirect_uri: `${bot}/back`, webhooks: { vote: `${bot}/vote`, premium: `${bot}/premium` } };
    const path = await begin(all, urls);
    const owner = await visit(all, ownerId);
    await all.service.setWebhook(serverId, { voteUrl: `${bot}/of-another-bot` });
    const { text } = await owner.open(path);
    for (const shown of ['Harbour &#60;bot&#62;', `<strong>${bot}</strong>`, `${bot}/vote`, `${bot}/premium`]) {
      expect(text).toContain(shown);
    }
    expect(text).toContain(`Nothing more is sent to <code>${bot}/of-another-bot</code>`);
    // Without the token of a form, nothing is approved.
    expect((await owner.send(path, { token: 'forged', decision: 'connect' })).status).toBe(403);
    const location = new URL((await owner.send(path, { decision: 'connect' })).headers.get('location') ?? '');
    expect(location.searchParams.get('state')).toBe(state);
    const code = location.searchParams.get('code');
    const granted = await exchange(all, code, { redirect_uri: urls.redirect_uri });
    expect(granted.json).toMatchObject({
      guild: serverId,
      member: ownerId,
      listing: { kind: 'server', id: serverId },
      webhooks: { vote: { url: `${bot}/vote` }, premium: { url: `${bot}/premium` } },
    });
    expect(granted.headers.get('cache-control')).toBe('no-store');
    const key = String(granted.json['key']);
    expect((await all.get('/server', { 'x-api-key': key })).status).toBe(200);
    const tested = await post(all, '/connect/test', {}, { authorization: `Bearer ${key}` });
    expect(tested.json).toEqual({ delivered: true });
    expect(hooks.received.map((each) => each.path)).toEqual(['/vote']);
    expect((await owner.open(`/dashboard/${serverId}`)).text).toContain('Connect: Harbour &#60;bot&#62;');
    expect((await exchange(all, code, { redirect_uri: urls.redirect_uri })).status).toBe(400);
    expect(all.lines.join()).not.toContain(key);
  });

  it('is decided by the member who asked, as the owner of the listing', async () => {
    const all = await running({ database: newDatabase() });
    const path = await begin(all);
    const stranger = await visit(all, '318044130796109825');
    expect((await stranger.open(path)).status).toBe(403);
    expect((await stranger.send(path, { decision: 'connect' })).status).toBe(403);
    expect((await ask(all.service.url + path)).headers.get('location')).toBe(
      `/sign-in?next=${encodeURIComponent(path)}`,
    );
    // A member who does not own the listing cannot approve their own request either.
    const ofStranger = await begin(all, { member: '318044130796109825' });
    expect((await stranger.open(ofStranger)).text).toContain('You have no listing of the server');
    expect((await stranger.send(ofStranger, { decision: 'connect' })).status).toBe(403);
    const owner = await visit(all, ownerId);
    const cancelled = await owner.send(path, { decision: 'cancel' });
    expect(cancelled.headers.get('location')).toBe(
      `${origin}/connect/callback?from=service&error=access_denied&state=${state}`,
    );
    expect((await owner.send(path, { decision: 'connect' })).status).toBe(404);
  });

  it('accepts a code only from the bot that asked, for ten minutes, and from the owner', async () => {
    const all = await running({ database: newDatabase() });
    const codeOf = async () => (await approve(all, await begin(all))).get('code');
    const refused = { status: 400, json: { error: expect.stringContaining('belongs to another request') } };
    const stolen = await codeOf();
    expect(await exchange(all, stolen, { code_verifier: 'a'.repeat(43) })).toMatchObject(refused);
    // A wrong guess uses it up.
    expect(await exchange(all, stolen)).toMatchObject(refused);
    expect(await exchange(all, await codeOf(), { redirect_uri: `${origin}/other` })).toMatchObject(refused);
    const late = await codeOf();
    all.clock.leap(11 * minute);
    expect(await exchange(all, late)).toMatchObject(refused);
    const taken = await codeOf();
    await all.service.setOwner(serverId, { userId: '318044130796109825', username: 'mira' });
    expect((await exchange(all, taken)).status).toBe(409);
    expect((await post(all, '/connect/test', {}, { authorization: 'Bearer guess' })).status).toBe(401);
  });

  it('refuses addresses of another origin, of the network of the service, or with a host that would change its headers', async () => {
    const all = await running({ database: newDatabase(), allowLoopbackTargets: false });
    const send = (changes: Record<string, unknown>) => post(all, '/connect/requests', asked(changes));
    const webhooks = (base: string) => ({ vote: `${base}/vote`, premium: `${base}/premium` });
    const answers = await Promise.all([
      send({ redirect_uri: 'https://93.184.215.14/x', webhooks: webhooks('https://93.184.215.15') }),
      send({ redirect_uri: 'https://192.168.0.1/x', webhooks: webhooks('https://192.168.0.1') }),
      send({ redirect_uri: 'javascript:alert(1)' }),
      send({ redirect_uri: 'https://a;b.example/x', webhooks: webhooks('https://a;b.example') }),
      send({ code_challenge: 'short' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    const url = { redirect_uri: 'https://93.184.215.14/x', webhooks: webhooks('https://93.184.215.14') };
    expect((await send(url)).status).toBe(201);
  });
});
