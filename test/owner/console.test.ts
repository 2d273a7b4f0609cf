import { hour, minute } from '@tallyhook/platform/durations';
import { fixedDate } from '@tallyhook/platform/testing/fixed-date';
import { describe, expect, it } from 'vitest';
import { createPseudonym } from '../../src/core/ledger/account.ts';
import { forgetMember } from '../../src/features/member-data/store.ts';
import { prettyJson, visible } from '../../src/owner/console/cells.ts';
import { accountOf, addCommunity, firstCommunity } from '../support/communities.ts';
import { type OwnerServerOptions, start, startOwnerServer, token, vote, votedAt } from '../support/owner-server.ts';
import { deposit, guildId, keys, orderOf, ownerChannelId, shout, vip } from '../support/shop-store.ts';

/** An HTTP client that keeps the cookie, follows no redirects, and sends forms like a browser. */
async function openConsole(changes: OwnerServerOptions = {}) {
  const server = await startOwnerServer(changes);
  const base = `${server.url}/owner/`;
  let cookie = '';

  async function open(path: string, options: RequestInit = {}) {
    const response = await fetch(base + path, {
      redirect: 'manual',
      ...options,
      headers: { ...(cookie && { cookie }), ...(options.headers as Record<string, string>) },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Sends a form, by default from the same origin. */
  function send(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
  ) {
    return open(path, { method: 'POST', body: new URLSearchParams(fields), headers });
  }

  async function signIn(ownerToken = token, headers?: Record<string, string>) {
    const response = await send('sign-in', { ownerToken, next: 'deliveries?outcome=quarantined' }, headers);
    const setCookie = response.headers.get('set-cookie');
    if (setCookie !== null) cookie = setCookie.split(';')[0] ?? '';
    return { ...response, setCookie };
  }

  async function formToken(path: string) {
    const { text } = await open(path);
    return /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  }

  return { ...server, open, send, signIn, formToken, cookie: () => cookie };
}

describe('the console', () => {
  it('requires a session for every page and form', async () => {
    const { open, send } = await openConsole();
    for (const path of ['', 'deliveries', 'deliveries/1', 'effects', 'users', 'users/42', 'listings', 'orders']) {
      const { status, headers } = await open(path);
      expect(status, path).toBe(303);
      expect(headers.get('location'), path).toMatch(/^(\.\/|\.\.\/)sign-in/);
    }
    const forms = ['deliveries/1/replay', 'effects/1/replay', 'users/42/corrections', 'sign-out'];
    for (const path of [...forms, 'listings/server/release', 'listings/server/reject', 'listings/server/reversals']) {
      expect((await send(path, {})).status, path).toBe(403);
    }
  });

  it('accepts the token, and never puts it into a cookie, URL, page or log', async () => {
    const { signIn, open, cookie, lines } = await openConsole();
    const { status, headers, setCookie } = await signIn();
    expect(status).toBe(303);
    expect(headers.get('location')).toBe('./deliveries?outcome=quarantined');
    expect(setCookie).toMatch(/; Max-Age=7200; HttpOnly; SameSite=Strict$/);
    expect(setCookie).not.toContain(token);
    for (const path of ['', 'deliveries', 'effects', 'users/42']) {
      const page = await open(path);
      expect(page.status, path).toBe(200);
      expect(page.text, path).not.toContain(token);
      expect(page.text, path).not.toContain(cookie().split('=')[1]);
    }
    expect(lines.join()).not.toContain(token);
    expect((await open('sign-in')).status).toBe(303);
  });

  it('sets a Secure cookie behind HTTPS', async () => {
    const { signIn } = await openConsole();
    const https = { 'sec-fetch-site': 'same-origin', 'x-forwarded-proto': 'https' };
    expect((await signIn(token, https)).setCookie).toContain('; Secure');
  });

  it('shares the limit of wrong tokens with the API', async () => {
    const clock = fixedDate();
    const { signIn, request } = await openConsole();
    for (let attempt = 0; attempt < 9; attempt += 1) expect((await signIn('guess')).status).toBe(401);
    expect((await request('/summary', { authorization: 'Bearer guess' })).status).toBe(401);
    const limited = await signIn();
    expect({ status: limited.status, setCookie: limited.setCookie }).toEqual({ status: 429, setCookie: null });
    expect(limited.headers.get('retry-after')).toBe('60');
    clock.leap(minute);
    expect((await signIn()).status).toBe(303);
  });

  it('ends a session after two hours, and at the sign-out', async () => {
    const { signIn, open, send, formToken, clock } = await openConsole();
    await signIn();
    await clock.advance(2 * hour - 1);
    expect((await open('')).status).toBe(200);
    await clock.advance(1);
    expect((await open('')).status).toBe(303);
    await signIn();
    const { headers } = await send('sign-out', { token: await formToken('') });
    expect(headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await open('')).status).toBe(303);
  });

  it('ends sessions when the clock is set back, so that none lasts longer than two hours', async () => {
    const { signIn, open, clock } = await openConsole();
    await signIn();
    clock.shiftWallClock(-hour);
    expect((await open('')).status).toBe(303);
    await signIn();
    expect((await open('')).status).toBe(200);
  });

  it('rejects a signed-out session in other processes and after a restart', async () => {
    const { signIn, open, send, formToken, cookie, url, restart } = await openConsole();
    await signIn();
    const copy = { headers: { cookie: cookie() }, redirect: 'manual' as const };
    const otherUrl = await restart();
    expect((await fetch(`${otherUrl}/owner/`, copy)).status).toBe(200);
    await send('sign-out', { token: await formToken('') });
    expect((await open('', copy)).status).toBe(303);
    expect((await fetch(`${otherUrl}/owner/`, copy)).status).toBe(303);
    expect((await fetch(`${await restart()}/owner/`, copy)).status).toBe(303);
    expect(url).not.toBe(otherUrl);
  });

  it('responds with 503 if a sign-out cannot be stored, or a session cannot be checked', async () => {
    const sessions = { isRevoked: async () => false, revoke: () => Promise.reject(new Error('disk full')) };
    const { signIn, open, send, formToken } = await openConsole({ sessions });
    await signIn();
    const { status, headers } = await send('sign-out', { token: await formToken('') });
    expect([status, headers.get('set-cookie')]).toEqual([503, null]);
    sessions.isRevoked = () => Promise.reject(new Error('no database'));
    expect((await open('')).status).toBe(503);
  });

  it('rejects forged cookies', async () => {
    const { signIn, open, cookie } = await openConsole();
    await signIn();
    const [id = '', , signature = ''] = cookie().split('=')[1]?.split('.') ?? [];
    for (const forged of [`${id}.9999999999999.${signature}`, `${id}..${signature}`, '..', '']) {
      expect((await open('', { headers: { cookie: `tallyhook_owner=${forged}` } })).status, forged).toBe(303);
    }
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a subdomain of the same site', { 'sec-fetch-site': 'same-site' }],
    ['another origin, in an old browser', { origin: 'https://evil.example' }],
  ])('rejects a form from %s, even with a valid token', async (_sender, headers) => {
    const { signIn, send, formToken, store } = await openConsole();
    await signIn();
    const form = { token: await formToken('users/42'), credits: '5', reason: 'x', key: 'k' };
    expect((await send('users/42/corrections', form, headers)).status).toBe(403);
    expect((await send('sign-in', { ownerToken: token }, headers)).status).toBe(403);
    expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ credits: 0 });
  });

  it('rejects a form without the CSRF token of its session', async () => {
    const { signIn, send, store } = await openConsole();
    await signIn();
    for (const forged of [{}, { token: '' }, { token: 'x' }] as Record<string, string>[]) {
      expect((await send('users/42/corrections', { ...forged, credits: '5', reason: 'x', key: 'k' })).status).toBe(403);
    }
    expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ credits: 0 });
  });

  it('requires a confirmation of a correction, and corrects once however often the form is sent', async () => {
    const { signIn, send, formToken, store } = await openConsole();
    await signIn();
    const form = { token: await formToken('users/42'), credits: '+5', reason: 'lost <i>vote</i>' };
    const confirmation = await send('users/42/corrections', form);
    expect(confirmation.text).toContain('0 credits → 5 credits');
    expect(confirmation.text).not.toContain('<i>');
    expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ credits: 0 });
    const key = /name="key" value="([^"]+)"/.exec(confirmation.text)?.[1] ?? '';
    const responses = await Promise.all([1, 2].map(() => send('users/42/corrections', { ...form, key })));
    expect(new Set(responses.map(({ headers }) => headers.get('location')))).toEqual(
      new Set(['../42?notice=corrected', '../42?notice=repeated']),
    );
    expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ credits: 5 });
  });

  it('shows a rejected correction again with its input and the reason', async () => {
    const { signIn, send, formToken, store } = await openConsole();
    await signIn();
    const csrfToken = await formToken('users/42');
    for (const [credits, reason, status, expectedText] of [
      ['5.5', 'x', 400, 'credits'],
      ['0x10', 'x', 400, 'credits'],
      ['5', '  ', 400, 'reason'],
      ['-1', '"quoted"', 409, 'a balance cannot be less than zero'],
    ] as const) {
      const response = await send('users/42/corrections', { token: csrfToken, credits, reason });
      expect(response.status, credits).toBe(status);
      expect(response.text, credits).toContain(expectedText);
      expect(response.text, credits).toContain(`value="${reason.replaceAll('"', '&#34;')}"`);
    }
    expect(await store.records.entries(accountOf('42'), 9)).toEqual([]);
  });

  it('marks an order of one server as done, once, and no other', async () => {
    const { signIn, open, send, formToken, store } = await openConsole({ guildId });
    await signIn();
    const communityId = await addCommunity(store, guildId);
    const account = { communityId, userId: '42', credits: 1000, reason: 'deposit', at: start };
    await store.recorder.correct(account, 'deposit');
    for (const item of [shout, keys]) await store.shop.purchase(orderOf(item, { userId: '42', communityId }), start);
    const orders = `servers/${guildId}/orders`;
    const buttons = async () => [...(await open(orders)).text.matchAll(/action="\.\/(orders\/\d+\/done)"/g)];
    const [[, path = ''] = [], ...others] = await buttons();
    expect(others).toEqual([]);
    const token = await formToken(orders);
    expect((await send(`servers/${guildId}/${path}`, { token: 'forged' })).status).toBe(403);
    for (const _ of ['pressed', 'pressed again']) {
      const { status, headers } = await send(`servers/${guildId}/${path}`, { token });
      expect([status, headers.get('location')]).toEqual([303, '../../orders?notice=fulfilled']);
    }
    expect(await buttons()).toEqual([]);
    expect((await store.shop.summary(guildId)).waiting).toBe(0);
    expect((await send(`servers/${guildId}/orders/2/done`, { token })).status).toBe(409);
    expect((await send(`servers/${guildId}/orders/9/done`, { token })).status).toBe(404);
  });

  it('shows shop orders by name, without their codes, and names of items as text', async () => {
    const unnamed = { role: () => null, channel: () => null, listing: () => null };
    const { signIn, open, store } = await openConsole({
      namesIn: () => async (ids) => ({ ...unnamed, member: (id) => ([...ids].includes(id) ? 'Ursula' : null) }),
    });
    await signIn();
    expect((await open('orders')).text).toContain('Nobody has bought anything yet.');
    await deposit(store, '42', 1000);
    const hostile = { ...shout, name: '<b>Shout</b>\u202E' };
    for (const [item, minutes] of [
      [hostile, 1],
      [vip, 2],
      [keys, 3],
    ] as const)
      await store.shop.purchase(orderOf(item, { userId: '42' }), start + minutes * minute);
    const { text } = await open('orders');
    const orders = /<section[^>]*aria-labelledby="orders">.*?<\/section>/s.exec(text)?.[0] ?? '';
    expect(orders).toContain('<dt>Orders waiting for you</dt><dd>1</dd>');
    expect(orders).toMatch(/Game key.*done.*VIP.*on its way.*Shout.*waiting for the team/s);
    expect(orders).toMatch(/Jan 1, 2026, 1:03\sAM/);
    expect(text).toContain('Times are those of Europe/Berlin.');
    expect(orders).toContain('<strong>10</strong> credits');
    expect(orders).toMatch(/href="\.\/users\/42"[^>]*><bdi>Ursula</);
    expect(text).not.toContain('<b>Shout');
    expect(text).not.toContain('\u202E');
    expect(text).not.toContain(keys.codes?.[0]);
    const waiting = (await store.shop.summary()).newest.find(({ name }) => name === hostile.name);
    if (waiting === undefined) throw new Error('no purchase');
    await store.shop.settle({ purchaseId: waiting.id, state: 'refunded', channelId: ownerChannelId }, start);
    const settled = (await open('orders')).text;
    expect(settled).toContain('<dt>Orders waiting for you</dt><dd>0</dd>');
    expect(settled).toContain('refunded');
    await forgetMember(store.memberData, '42', { pseudonym: createPseudonym(), now: start, keepVotesMs: hour });
    const forgotten = (await open('orders')).text;
    expect(forgotten).toContain('forgotten member');
    expect(forgotten).not.toContain('href="./users/');
  });

  it('replays effects and deliveries', async () => {
    const { signIn, send, formToken, post, buryAll, nudges, store } = await openConsole();
    await post('/webhooks/vote', vote);
    await buryAll('no such channel');
    await post('/webhooks/vote', { event: 'surprise' });
    await signIn();
    const form = { token: await formToken('effects') };
    const effect = await send('effects/1/replay', { ...form, back: 'delivery' });
    expect(effect.headers.get('location')).toBe('../../deliveries/1?notice=revived');
    expect(nudges).toHaveLength(1);
    expect((await store.records.effects({ state: 'waiting', limit: 9, before: null })).length).toBe(1);
    expect((await send('effects/1/replay', form)).status).toBe(409);
    const delivery = await send('deliveries/2/replay', form);
    expect(delivery.headers.get('location')).toBe('../2?notice=replayed-quarantined');
  });

  it('keeps the filter of deliveries on the next page', async () => {
    const { signIn, open, post } = await openConsole();
    for (const userId of ['1', '2', '3']) await post('/webhooks/vote', { ...vote, userId });
    await signIn();
    const first = await open('deliveries?kind=server_vote&limit=2&outcome=');
    const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&#38;', '&') ?? '';
    expect(first.text).toContain('href="./deliveries/3"');
    const second = await open(`deliveries${next}`);
    expect(second.text).toContain('href="./deliveries/1"');
    expect(second.text).not.toContain('href="./deliveries/2"');
    expect(second.text).not.toContain('rel="next"');
  });

  it('filters deliveries by site, and names the site of each listing, if there are several', async () => {
    const one = await openConsole();
    await one.signIn();
    const { text: withoutSites } = await one.open('deliveries');
    expect(withoutSites).toContain('<option value="ignored">not a vote</option>');
    expect(withoutSites).not.toContain('name="site"');
    const { signIn, open, post } = await openConsole({ botSite: 'topgg' });
    await post('/webhooks/vote', vote);
    await post('/webhooks/vote', { event: 'bot_vote', userId: '42', timestamp: votedAt });
    await signIn();
    const { text } = await open('deliveries?site=topgg');
    expect(text).toContain('<option value="topgg" selected>top.gg</option>');
    expect(text).toContain('<bdi>bot</bdi> <span class="quiet">top.gg</span>');
    expect(text).not.toContain('href="./deliveries/1"');
    expect((await open('deliveries/2')).text).toContain('<bdi>bot</bdi> <span class="quiet">top.gg</span>');
  });

  it('has only relative links that work, and loads only its own resources', async () => {
    const { signIn, open, post, url } = await openConsole();
    await post('/webhooks/vote', vote);
    await signIn();
    for (const path of ['', 'deliveries', 'deliveries/1', 'effects', 'users', 'users/42']) {
      const { text, headers } = await open(path);
      const links = [...text.matchAll(/(?:href|action|src)="([^"]*)"/g)].map(([, link]) => link ?? '');
      expect(links.length, path).toBeGreaterThan(5);
      expect(
        links.filter((link) => /^\/|^[a-z]+:/.test(link)),
        path,
      ).toEqual([]);
      for (const link of links.filter((link) => !link.startsWith('#') && !/sign-out|replay|corrections/.test(link))) {
        const target = new URL(link, `${url}/owner/${path}`);
        // The settings are those of one server, which may have to be chosen.
        const statuses = link.endsWith('/settings') ? [303] : [200];
        expect(statuses, `${path} → ${link}`).toContain((await open(target.href.slice(`${url}/owner/`.length))).status);
      }
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/);
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(text).not.toMatch(/<script|<style|style=|onclick/);
    }
    for (const address of ['owner', 'owner?next=a/', 'owner?/?']) {
      expect((await open(`../${address}`)).headers.get('location'), address).toBe('owner/');
    }
    expect((await open('console.css')).headers.get('content-type')).toContain('text/css');
  });

  it('redirects only to its own pages after signing in', async () => {
    const { send } = await openConsole();
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      'users/42/../..',
    ]) {
      expect((await send('sign-in', { ownerToken: token, next })).headers.get('location'), next).toBe('./');
    }
  });

  it('responds to errors with a page', async () => {
    const { signIn, open } = await openConsole();
    await signIn();
    for (const [path, status, expectedText] of [
      ['deliveries/99', 404, 'Delivery 99 does not exist.'],
      ['deliveries?since=soon', 400, 'since'],
      ['users?id=a&id=b', 400, 'given once'],
      ['nothing', 404, 'no such page'],
      ['users/%E0%A4%A', 400, 'decoded'],
    ] as const) {
      const page = await open(path);
      expect(page.status, path).toBe(status);
      expect(page.text, path).toContain(expectedText);
      expect(page.headers.get('content-type')).toContain('text/html');
    }
  });
});

it('shows on the overview that the service rejects an API key', async () => {
  const key = { listing: 'server', left: null, limit: 120, keyRefused: true, wrongShape: false };
  const { open, signIn } = await openConsole({ budgets: async () => [key] });
  await signIn();
  const { text } = await open('');
  expect(text).toContain('The service rejects the API key of <bdi>server</bdi>');
  expect(text).toContain('? of 120');
});

it('numbers the top voters of the overview by rank', async () => {
  const { post, signIn, open } = await openConsole();
  const timestamp = new Date(start).toISOString();
  for (const userId of ['42', '43']) await post('/webhooks/vote', { ...vote, userId, timestamp });
  await signIn();
  const { text } = await open('');
  expect([...text.matchAll(/<li value="(\d+)"/g)].map(([, rank]) => rank)).toEqual(['1', '1']);
});

it('shows held votes, and has them released or rejected', async () => {
  const alarm = { listing: 'bot', state: 'held', heldAt: start, held: 1_234, paid: 51, usual: 4.6 } as const;
  const decisions: string[] = [];
  const { signIn, open, send, formToken } = await openConsole({
    botSite: 'topgg',
    alarms: {
      held: async () => [alarm],
      decide: async (listing, decision) => decisions.push(`${listing} ${decision}`) === 1,
    },
  });
  await signIn();
  const { text } = await open('listings');
  expect(text).toMatch(/: 1,234 votes<.*Paid within an hour: 51 votes; usual: 5 votes\./);
  expect(text.match(/action="\.\/listings\/bot\/re(?:lease|ject)"/g)).toHaveLength(2);
  expect(text.match(/aria-describedby="decide-bot"/g)).toHaveLength(2);
  expect(text).toMatch(/id="decide-bot">Before you reject, replace the secret/);
  expect(text).not.toContain('listings/server/release');
  // The hour before the alarm, in the time zone of the community.
  expect(text).toMatch(/name="from" value="2026-01-01T01:00" required/);
  const fields = { token: await formToken('listings') };
  const released = await send('listings/bot/release', fields);
  expect(released.headers.get('location')).toBe('../../listings?notice=release');
  expect((await send('listings/bot/reject', fields)).status).toBe(409);
  expect(decisions).toEqual(['bot release', 'bot reject']);
  expect((await send('listings/torch/release', fields)).status).toBe(404);
});

it('filters deliveries by the times of the community', async () => {
  const { post, signIn, open } = await openConsole();
  await post('/webhooks/vote', vote);
  await signIn();
  // Received at midnight in UTC.
  const filtered = async (query: string) => (await open(`deliveries?${query}`)).text.includes('href="./deliveries/1"');
  expect(await filtered('since=2026-01-01T01:00&until=2026-01-01T01:30')).toBe(true);
  expect(await filtered('since=2026-01-01T01:30')).toBe(false);
});

it('reverses votes between two local times after a preview', async () => {
  const { post, signIn, open, send, formToken, store } = await openConsole();
  await post('/webhooks/vote', vote);
  await signIn();
  const token = await formToken('listings');
  // The vote is of 23:00 in UTC, and of midnight in Berlin.
  const before = { token, from: '2025-12-31T22:00', until: '2026-01-01T00:00' };
  expect((await send('listings/server/reversals', before)).text).toContain('0 votes from 0 members');
  const fields = { token, from: '2026-01-01T00:00', until: '2026-01-01T00:30' };
  const preview = await send('listings/server/reversals', fields);
  expect(preview.text).toContain('1 vote from 1 member');
  expect(preview.text).toContain('name="from" value="2026-01-01T00:00"');
  expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ votes: 1 });
  const reversed = await send('listings/server/reversals', { ...fields, confirmed: 'yes' });
  expect(reversed.headers.get('location')).toBe('../../listings?notice=reversed');
  expect((await open('listings?notice=reversed')).text).toContain('The votes were reversed');
  expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ credits: 0, votes: 0 });
  expect((await send('listings/server/reversals', { ...fields, until: 'yesterday' })).status).toBe(400);
  expect((await send('listings/torch/reversals', fields)).status).toBe(404);
  expect((await open('listings/server/reversals')).status).toBe(303);
});

it('writes one line per member, and preserves what a parser would lose', () => {
  expect(prettyJson('{"userId":123456789012345678901, "a":1.50,"a":[ ],"b":[1,{"c":"x: {, \\" y"}]}')).toBe(
    `{
  "userId": 123456789012345678901,
  "a": 1.50,
  "a": [],
  "b": [
    1,
    {
      "c": "x: {, \\" y"
    }
  ]
}`,
  );
});

it('limits the indentation of deeply nested JSON', () => {
  const deep = '['.repeat(30_000);
  expect(prettyJson(deep).length).toBeLessThan(2_000_000);
  expect(prettyJson('"unfinished')).toBe('"unfinished');
});

it('escapes invisible and direction-changing characters', () => {
  expect(visible('a\u202Eb\u200Bc\u0000\n')).toBe('a\\u202eb\\u200bc\\u0000\n');
  expect(visible('Zoë 🎉 שלום')).toBe('Zoë 🎉 שלום');
});
