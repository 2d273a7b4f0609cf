import { hour } from '@tallyhook/platform/durations';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { endpointId } from '../../src/features/events/settings.ts';
import { endpointUrl, ownerToken, startTwoCommunities } from '../support/two-communities.ts';

type Json = Readonly<Record<string, unknown>>;
type Side = 'harbour' | 'bees';

const member = '318044130796109825';
const other = '205680187394752512';
const endpoint = endpointId(endpointUrl);
const thirdMember = '205680187394752513';

/** What a document says of an answer. */
function schemaOf(document: Json, { method, path, status }: { method: string; path: string; status: number }) {
  const text = JSON.stringify(document).replaceAll('#/components/schemas/', '#/$defs/');
  const { paths, components } = JSON.parse(text);
  const { $ref: reference, content } = paths[path][method].responses[status] ?? {};
  const shared = reference === undefined ? null : components.responses[reference.split('/').at(-1)];
  const { schema } = (shared?.content ?? content)['application/json'];
  return z.fromJSONSchema({ ...schema, $defs: components.schemas });
}

/** Two communities with votes of different members, and a way to use the API of the program that serves them. */
async function startWorld() {
  const world = await startTwoCommunities({ SETTINGS_KEY: 'a'.repeat(64) });
  await world.post('harbour', { event: 'server_vote', userId: member });
  await world.post('harbour', { event: 'of_tomorrow', userId: member });
  await world.post('bees', { event: 'server_vote', userId: other });
  await world.post('bees', { event: 'of_tomorrow', userId: other });

  async function request(token: string, method: string, path: string, body?: object, headers = {}) {
    const response = await fetch(`${world.url}/owner/api${path}`, {
      method,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as Json };
  }
  const operator = (method: string, path: string, body?: object) => request(ownerToken, method, path, body);

  async function createToken(side: Side, scopes: readonly string[], more: Json = {}): Promise<string> {
    const path = `/tokens?guildId=${world.guilds[side]}`;
    const { status, json } = await operator('POST', path, { name: 'quiz', scopes, ...more });
    expect(status, JSON.stringify(json)).toBe(201);
    return String(json['token']);
  }
  const idsAt = async (token: string, path: string, name: string) =>
    ((await request(token, 'GET', path)).json[name] as readonly Json[]).map(({ id }) => Number(id));
  const all = await createToken('harbour', ['read', 'write', 'settings']);
  const ofBees = await createToken('bees', ['read', 'write', 'settings']);
  return { ...world, request, operator, createToken, idsAt, all, ofBees };
}

describe('the token of a community', { timeout: 60_000 }, () => {
  const world = sharedByTests(startWorld);

  it('reads and changes that community alone, without naming it', async () => {
    const { request, all, guilds, idsAt, ofBees } = world();
    expect((await request(all, 'GET', `/users/${member}`)).json).toMatchObject({
      guildId: guilds.harbour,
      credits: 10,
    });
    expect((await request(all, 'GET', `/users/${other}`)).json).toMatchObject({ credits: 0, votes: 0, entries: [] });
    expect((await request(all, 'GET', '/leaderboard')).json['members']).toMatchObject([{ userId: member }]);
    expect((await request(all, 'GET', '/members')).json['members']).toMatchObject([{ userId: member, credits: 10 }]);
    expect((await request(all, 'GET', `/members?search=${member}`)).json).toMatchObject({ total: 1 });
    const summary = (await request(all, 'GET', '/summary')).json;
    expect(summary).toMatchObject({ users: 1, credits: 10, votes: 1, deliveries: { recorded: 1, quarantined: 1 } });
    expect(JSON.stringify(summary)).not.toContain(other);
    expect((await request(all, 'GET', '/listings')).json['listings']).toMatchObject([{ name: 'harbour' }]);
    const [own, foreign] = [
      await idsAt(all, '/deliveries', 'deliveries'),
      await idsAt(ofBees, '/deliveries', 'deliveries'),
    ];
    expect([own.length, foreign.length]).toEqual([2, 2]);
    expect(own.some((id) => foreign.includes(id))).toBe(false);
    const correction = { credits: 5, reason: 'quiz' };
    const key = { 'idempotency-key': 'quiz-1' };
    for (const status of [201, 200]) {
      const corrected = await request(all, 'POST', `/users/${member}/corrections`, correction, key);
      expect(corrected).toMatchObject({ status, json: { credits: 15 } });
    }
  });

  it('may send many requests at the same time, and wrong ones are counted', async () => {
    const { url, all } = world();
    const request = async (token: string, address: string) =>
      (
        await fetch(`${url}/owner/api/listings`, {
          headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address },
        })
      ).status;
    const valid = await Promise.all(Array.from({ length: 30 }, () => request(all, '203.0.113.7')));
    expect(new Set(valid)).toEqual(new Set([200]));
    const wrong = `thk_${'B'.repeat(43)}`;
    for (let attempt = 0; attempt < 10; attempt += 1) expect(await request(wrong, '203.0.113.8')).toBe(401);
    expect(await request(wrong, '203.0.113.8')).toBe(429);
    expect([await request(all, '203.0.113.8'), await request(all, '203.0.113.7')]).toEqual([429, 200]);
  });

  it('needs the scope of each route, which the error names', async () => {
    const { request, createToken } = world();
    const read = await createToken('harbour', ['read']);
    const write = await createToken('harbour', ['write']);
    const lacks = async (token: string, method: string, path: string, scope: string, body?: object) => {
      const { status, json } = await request(token, method, path, body);
      expect({ status, json }, `${method} ${path}`).toMatchObject({
        status: 403,
        json: { success: false, code: 'missing_scope', error: expect.stringContaining(`"${scope}"`) },
      });
    };
    await lacks(write, 'GET', `/users/${member}`, 'read');
    await lacks(read, 'POST', `/users/${member}/corrections`, 'write', { credits: 5, reason: 'quiz' });
    for (const path of [
      '/deliveries/1/replay',
      '/effects/1/replay',
      '/listings/harbour/reversals',
      '/purchases/1/done',
    ])
      await lacks(read, 'POST', path, 'write', {});
    await lacks(read, 'GET', '/settings', 'settings');
    await lacks(write, 'PATCH', '/settings', 'settings', {});
    await lacks(read, 'POST', '/tokens', 'settings', { name: 'more', scopes: ['write'] });
    expect((await request(read, 'GET', '/summary')).status).toBe(200);
  });

  it('reads the events of its community alone, until it is revoked', async () => {
    const { url, request, createToken, operator, post, guilds } = world();
    const token = await createToken('harbour', ['read']);
    const open = () => fetch(`${url}/owner/api/events`, { headers: { authorization: `Bearer ${token}` } });
    const streams = await Promise.all(Array.from({ length: 5 }, open));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await open()).status).toBe(503);
    await post('bees', { event: 'server_vote', userId: thirdMember });
    await post('harbour', { event: 'server_vote', userId: thirdMember });
    const [first] = streams;
    let text = '';
    const decoder = new TextDecoder();
    const reading = (async () => {
      for await (const chunk of first?.body ?? []) text += decoder.decode(chunk, { stream: true });
    })();
    await vi.waitFor(() => expect(text).toContain('vote.recorded'), { timeout: 10_000 });
    const tokens = (await operator('GET', `/tokens?guildId=${guilds.harbour}`)).json['tokens'] as readonly Json[];
    await operator('DELETE', `/tokens/${String(tokens[0]?.['id'])}?guildId=${guilds.harbour}`);
    await reading;
    expect(text).toContain(guilds.harbour);
    expect(text).not.toContain(guilds.bees);
    expect((await request(token, 'GET', '/summary')).status).toBe(401);
    for (const stream of streams.slice(1)) await stream.text();
  });

  it('may name its own community at every route, and no other', async () => {
    const { request, all, guilds } = world();
    for (const path of ['/summary', '/listings', '/deliveries', '/effects', '/members', '/events', '/settings']) {
      const answer = await request(all, 'GET', `${path}?guildId=${guilds.bees}`);
      expect(answer, path).toMatchObject({ status: 404, json: { success: false, code: 'not_found' } });
    }
    expect((await request(all, 'GET', `/summary?guildId=${guilds.harbour}`)).status).toBe(200);
  });

  it('has the place of a reader again once that has gone', async () => {
    const { url, createToken } = world();
    const headers = { authorization: `Bearer ${await createToken('harbour', ['read'])}` };
    const open = async () => {
      const closing = new AbortController();
      const { status } = await fetch(`${url}/owner/api/events`, { headers, signal: closing.signal });
      return { status, close: () => closing.abort() };
    };
    const readers = await Promise.all(Array.from({ length: 5 }, open));
    expect((await open()).status).toBe(503);
    for (const { close } of readers) close();
    await vi.waitFor(async () => {
      const { status, close } = await open();
      close();
      expect(status).toBe(200);
    });
  });

  it('creates no token that allows more or ends later, and is rejected once it has ended', async () => {
    const { request, createToken, clock, lines } = world();
    const end = new Date(clock.now() + hour).toISOString();
    const settings = await createToken('harbour', ['read', 'settings'], { expiresAt: end });
    const post = (body: object) => request(settings, 'POST', '/tokens', body);
    expect(await post({ name: 'w', scopes: ['write'], expiresAt: end })).toMatchObject({
      status: 403,
      json: { error: expect.stringContaining('"write"') },
    });
    expect((await post({ name: 'forever', scopes: ['read'] })).status).toBe(403);
    const { status, json } = await post({ name: 'child', scopes: ['read'], expiresAt: end });
    expect([status, json['createdBy']]).toEqual([201, 'operator']);
    const child = String(json['token']);
    // The secret is in its own field alone, and the number of the community in none.
    expect(JSON.stringify(json).split(child)).toHaveLength(2);
    expect(json).not.toHaveProperty('communityId');
    expect((await request(child, 'GET', '/summary')).status).toBe(200);
    expect((await request(settings, 'DELETE', `/tokens/${String(json['id'])}`)).json['revokedAt']).not.toBeNull();
    expect(await request(child, 'GET', '/summary')).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
    clock.advance(hour);
    expect((await request(settings, 'GET', '/summary')).status).toBe(401);
    expect((await request(`thk_${'A'.repeat(43)}`, 'GET', '/summary')).status).toBe(401);
    expect(lines.join('')).toContain('a token was created');
    for (const secret of [settings, child]) expect(lines.join('')).not.toContain(secret.slice(4));
  });

  it('changes settings with their version, as /setup does, and not those of others', async () => {
    const { request, all, guilds, mira, openBrowser } = world();
    const { json: before } = await request(all, 'GET', '/settings');
    const change = (version: unknown, changes: readonly object[]) =>
      request(all, 'PATCH', '/settings', { version, changes });
    const vote = { listing: 'harbour', path: 'rewards.vote', value: 25 };
    const saved = await change(before['version'], [vote, { path: 'timeZone', value: 'Europe/Lisbon' }]);
    expect(saved).toMatchObject({
      status: 200,
      json: {
        values: { timeZone: { value: 'Europe/Lisbon', source: 'setup' } },
        listings: [{ name: 'harbour', values: { 'rewards.vote': { value: 25, source: 'setup' } } }],
      },
    });
    const { version } = saved.json;
    expect(await change(before['version'], [vote])).toMatchObject({ status: 409, json: { code: 'version_outdated' } });
    for (const invalid of [
      { ...vote, value: 'many' },
      { ...vote, listing: null },
      { listing: 'harbour', path: 'voteSecrets', value: ['a-secret-of-mine'] },
      { listing: 'harbour', path: 'announceChannelId', value: guilds.bees },
      { listing: 'harbour', path: 'rewards.voterRole', value: { role: guilds.bees, for: '12h' } },
    ]) {
      const { status, json } = await change(version, [invalid]);
      expect({ status, json }, JSON.stringify(invalid)).toMatchObject({
        status: 400,
        json: { code: 'invalid_settings' },
      });
    }
    expect((await change(version, [{ ...vote, listing: 'bees' }])).status).toBe(404);
    expect((await request(all, 'GET', '/settings')).json).toEqual(saved.json);
    const browser = openBrowser();
    await browser.signIn(mira.id);
    expect((await browser.open(`servers/${guilds.harbour}/changes`)).text).toMatch(/token \d+ \(quiz\)/);
    const reset = await change(version, [{ listing: 'harbour', path: 'rewards.vote' }]);
    expect(reset.json['listings']).toMatchObject([{ values: { 'rewards.vote': { value: 10 } } }]);
  });

  it('is made in the console by a manager, who sees it once and revokes it', async () => {
    const { request, openBrowser, mira, guilds } = world();
    const browser = openBrowser();
    await browser.signIn(mira.id);
    const root = `servers/${guilds.harbour}/`;
    const token = await browser.formToken(root);
    expect((await browser.open(`${root}settings?a=new-token`)).text).toContain('name="m.tokenScopes"');
    const form = { token, a: 'token-created', i: 'one', 't.tokenName': '<b>Site</b>', 'm.tokenScopes': 'read' };
    const { text } = await browser.send(`${root}settings`, form);
    const secret = /thk_[\w-]{43}/.exec(text)?.[0] ?? '';
    expect((await request(secret, 'GET', '/summary')).status).toBe(200);
    const list = await browser.open(`${root}settings?a=tokens`);
    expect(list.text).toContain('&#60;b&#62;Site');
    expect(list.text).not.toContain(secret);
    const id = /<option value="(\d+)">[^<]*Site/.exec(list.text)?.[1] ?? '';
    expect((await browser.open(`${root}settings?a=token&value=${id}`)).text).toContain('token-revoked');
    await browser.send(`${root}settings`, { token, a: 'token-revoked', i: 'two', 'o.id': id });
    expect((await request(secret, 'GET', '/summary')).status).toBe(401);
  });
});

it('works without the token of the operator, whose API is off then', async () => {
  const { url, openBrowser, mira, guilds } = await startTwoCommunities({ OWNER_TOKEN: '' });
  const get = async (path: string, authorization = '') =>
    (await fetch(`${url}/owner/api${path}`, { headers: { ...(authorization && { authorization }) } })).status;
  expect([await get('/summary'), await get('/summary', `Bearer ${ownerToken}`)]).toEqual([404, 404]);
  for (const token of [`thk_${'A'.repeat(43)}`, 'thk_short'])
    expect(await get('/summary', `Bearer ${token}`)).toBe(401);
  expect(await get('/openapi.json')).toBe(200);
  const browser = openBrowser();
  await browser.signIn(mira.id);
  const root = `servers/${guilds.harbour}/`;
  const form = { token: await browser.formToken(root), a: 'token-created', i: 'one', 't.tokenName': 'Site' };
  const { text } = await browser.send(`${root}settings`, { ...form, 'm.tokenScopes': 'read' });
  expect(await get('/summary', `Bearer ${/thk_[\w-]{43}/.exec(text)?.[0]}`)).toBe(200);
});

describe('the endpoints of a community', { timeout: 60_000 }, () => {
  const world = sharedByTests(startWorld);

  it('are seen and tested by its tokens alone, without their addresses', async () => {
    const { request, all, ofBees } = world();
    const tested = await request(all, 'POST', `/webhooks/${endpoint}/test`);
    expect(tested.json).toMatchObject({ status: 'sent', attempt: { type: 'webhook.test', status: null } });
    const { json } = await request(all, 'GET', '/webhooks');
    expect(json['webhooks']).toMatchObject([{ id: endpoint, host: 'localhost:59999', state: 'failing' }]);
    expect(JSON.stringify(json)).not.toContain('secret');
    expect((await request(all, 'GET', `/webhooks/${endpoint}/attempts`)).json['attempts']).toHaveLength(1);
    expect((await request(ofBees, 'GET', '/webhooks')).json).toEqual({ webhooks: [] });
    for (const path of ['attempts', 'test', 'resume', 'resend']) {
      const method = path === 'attempts' ? 'GET' : 'POST';
      expect((await request(ofBees, method, `/webhooks/${endpoint}/${path}`)).status, path).toBe(404);
    }
  });
});

describe('the document of the API', { timeout: 60_000 }, () => {
  const world = sharedByTests(startWorld);

  it('describes every route, as which each of them answers', async () => {
    const { request, url, all, idsAt } = world();
    const document = (await (await fetch(`${url}/owner/api/openapi.json`)).json()) as Json;
    expect(document['openapi']).toBe('3.1.0');
    const { version } = (await request(all, 'GET', '/settings')).json;
    const [quarantined] = await idsAt(all, '/deliveries?outcome=quarantined', 'deliveries');
    const [recorded] = await idsAt(all, '/deliveries?outcome=recorded', 'deliveries');
    const [effect] = await idsAt(all, '/effects', 'effects');
    const requests: Readonly<Record<string, readonly [path: string, body?: object]>> = {
      'get /summary': ['/summary'],
      'get /deliveries': ['/deliveries?limit=1&outcome=recorded'],
      'get /deliveries/{id}': [`/deliveries/${recorded}`],
      'post /deliveries/{id}/replay': [`/deliveries/${quarantined}/replay`],
      'get /effects': ['/effects'],
      'get /effects/{id}': [`/effects/${effect}`],
      'post /effects/{id}/replay': [`/effects/${effect}/replay`],
      'get /listings': ['/listings'],
      'post /listings/{listing}/release': ['/listings/harbour/release'],
      'post /listings/{listing}/reject': ['/listings/harbour/reject'],
      'post /listings/{listing}/reversals': [
        '/listings/harbour/reversals',
        { from: '2026-01-01', until: '2026-01-02', dryRun: true },
      ],
      'get /members': ['/members?limit=10'],
      'get /users/{userId}': [`/users/${member}`],
      'post /users/{userId}/corrections': [`/users/${member}/corrections`, { credits: 5, reason: 'quiz' }],
      'get /leaderboard': ['/leaderboard?period=week&by=votes'],
      'get /purchases': ['/purchases?state=confirmed'],
      'post /purchases/{id}/done': ['/purchases/1/done'],
      'get /events': ['/events'],
      'get /webhooks': ['/webhooks'],
      'get /webhooks/{endpoint}/attempts': [`/webhooks/${endpoint}/attempts`],
      'post /webhooks/{endpoint}/test': [`/webhooks/${endpoint}/test`],
      'post /webhooks/{endpoint}/resume': [`/webhooks/${endpoint}/resume`],
      'post /webhooks/{endpoint}/resend': [`/webhooks/${endpoint}/resend`],
      'get /settings': ['/settings'],
      'patch /settings': ['/settings', { version, changes: [{ listing: 'harbour', path: 'rewards.vote', value: 12 }] }],
      'get /tokens': ['/tokens'],
      'post /tokens': ['/tokens', { name: 'new', scopes: ['read'] }],
      'delete /tokens/{id}': ['/tokens/99999'],
    };
    const documented = Object.entries(document['paths'] as Readonly<Record<string, Json>>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method, path })),
    );
    expect(documented.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(requests).sort());
    const statuses: number[] = [];
    for (const { method, path } of documented) {
      // It does not end.
      if (path === '/events') continue;
      const [address = '', body] = requests[`${method} ${path}`] ?? [];
      const { status, json } = await request(all, method.toUpperCase(), address, body);
      statuses.push(status);
      const schema = schemaOf(document, { method, path, status });
      expect(schema.safeParse(json), `${method} ${path} ${status}`).toMatchObject({ success: true });
    }
    expect(statuses.filter((status) => status < 300).length).toBeGreaterThanOrEqual(22);
  });

  it('is shown to people, without a sign-in', async () => {
    const { url } = world();
    for (const [path, accept] of [
      ['/owner/api', 'text/html'],
      ['/owner/api/', '*/*'],
    ] as const) {
      const response = await fetch(`${url}${path}`, { headers: { accept } });
      const page = await response.text();
      expect(response.headers.get('content-type')).toContain('text/html');
      expect(page).toContain('PATCH /settings');
      const [, stylesheet = ''] = /rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
      expect((await fetch(new URL(stylesheet, `${url}${path}`))).status).toBe(200);
    }
  });
});
