import { describe, expect, it } from 'vitest';
import type { OwnerContext } from '../../src/owner/context.ts';
import { hour, minute } from '../../src/platform/durations.ts';
import { owning, token, vote } from './owning.ts';

/** A browser that shows no pages: it keeps the cookie, follows nothing, and sends forms as one does. */
async function browsing(changes: Partial<OwnerContext> = {}) {
  const owned = await owning(changes);
  const base = `${owned.url}/owner/`;
  let cookie = '';

  async function open(path: string, options: RequestInit = {}) {
    const response = await fetch(base + path, {
      redirect: 'manual',
      ...options,
      headers: { ...(cookie && { cookie }), ...(options.headers as Record<string, string>) },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Sends a form; what begins with `sec-` or is an origin goes into the head. */
  function send(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
  ) {
    return open(path, { method: 'POST', body: new URLSearchParams(fields), headers });
  }

  async function signIn(given = token, headers?: Record<string, string>) {
    const answer = await send('sign-in', { ownerToken: given, next: 'deliveries?outcome=quarantined' }, headers);
    const set = answer.headers.get('set-cookie');
    if (set !== null) cookie = set.split(';')[0] ?? '';
    return { ...answer, set };
  }

  async function formToken(path: string) {
    const { text } = await open(path);
    return /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  }

  return { ...owned, open, send, signIn, formToken, cookie: () => cookie };
}

describe('the console', () => {
  it('lets nobody in without signing in', async () => {
    const { open, send } = await browsing();
    for (const path of ['', 'deliveries', 'deliveries/1', 'effects', 'users', 'users/42']) {
      const { status, headers } = await open(path);
      expect(status, path).toBe(303);
      expect(headers.get('location'), path).toMatch(/^(\.\/|\.\.\/)sign-in/);
    }
    for (const path of ['deliveries/1/replay', 'effects/1/replay', 'users/42/corrections', 'sign-out']) {
      expect((await send(path, {})).status, path).toBe(403);
    }
  });

  it('takes the token once, and keeps it in no cookie, address or page', async () => {
    const { signIn, open, cookie, lines } = await browsing();
    const { status, headers, set } = await signIn();
    expect(status).toBe(303);
    expect(headers.get('location')).toBe('./deliveries?outcome=quarantined');
    expect(set).toMatch(/; Max-Age=7200; HttpOnly; SameSite=Strict$/);
    expect(set).not.toContain(token);
    for (const path of ['', 'deliveries', 'effects', 'users/42']) {
      const page = await open(path);
      expect(page.status, path).toBe(200);
      expect(page.text, path).not.toContain(token);
      expect(page.text, path).not.toContain(cookie().split('=')[1]);
    }
    expect(lines.join()).not.toContain(token);
    expect((await open('sign-in')).status).toBe(303);
  });

  it('lets the cookie travel over https only, where the console is behind it', async () => {
    const { signIn } = await browsing();
    const https = { 'sec-fetch-site': 'same-origin', 'x-forwarded-proto': 'https' };
    expect((await signIn(token, https)).set).toContain('; Secure');
  });

  it('counts wrong tokens together with the API', async () => {
    const { signIn, ask, clock } = await browsing();
    for (let tries = 0; tries < 9; tries += 1) expect((await signIn('guess')).status).toBe(401);
    expect((await ask('/summary', { authorization: 'Bearer guess' })).status).toBe(401);
    const late = await signIn();
    expect({ status: late.status, set: late.set }).toEqual({ status: 429, set: null });
    expect(late.headers.get('retry-after')).toBe('60');
    await clock.advance(minute);
    expect((await signIn()).status).toBe(303);
  });

  it('ends a session after two hours, and at the sign-out for every copy of its cookie', async () => {
    const { signIn, open, send, formToken, clock } = await browsing();
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

  it('ends no session later than after two hours because the clock was set back', async () => {
    const { signIn, open, clock } = await browsing();
    await signIn();
    clock.set(-hour);
    expect((await open('')).status).toBe(303);
    await signIn();
    expect((await open('')).status).toBe(200);
  });

  it('takes a session that was signed out neither in another process nor after a restart', async () => {
    const { signIn, open, send, formToken, cookie, url, restarted } = await browsing();
    await signIn();
    const copy = { headers: { cookie: cookie() }, redirect: 'manual' as const };
    const other = await restarted();
    expect((await fetch(`${other}/owner/`, copy)).status).toBe(200);
    await send('sign-out', { token: await formToken('') });
    expect((await open('', copy)).status).toBe(303);
    expect((await fetch(`${other}/owner/`, copy)).status).toBe(303);
    expect((await fetch(`${await restarted()}/owner/`, copy)).status).toBe(303);
    expect(url).not.toBe(other);
  });

  it('says so where a sign-out cannot be stored, and where it cannot tell who is signed in', async () => {
    const sessions = { isRevoked: async () => false, revoke: () => Promise.reject(new Error('disk full')) };
    const { signIn, open, send, formToken } = await browsing({ sessions });
    await signIn();
    const { status, headers } = await send('sign-out', { token: await formToken('') });
    expect([status, headers.get('set-cookie')]).toEqual([503, null]);
    sessions.isRevoked = () => Promise.reject(new Error('no database'));
    expect((await open('')).status).toBe(503);
  });

  it('takes no cookie that it has not made', async () => {
    const { signIn, open, cookie } = await browsing();
    await signIn();
    const [id = '', , signature = ''] = cookie().split('=')[1]?.split('.') ?? [];
    for (const forged of [`${id}.9999999999999.${signature}`, `${id}..${signature}`, '..', '']) {
      expect((await open('', { headers: { cookie: `tallyhook_owner=${forged}` } })).status, forged).toBe(303);
    }
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbouring site', { 'sec-fetch-site': 'same-site' }],
    ['another origin, in an old browser', { origin: 'https://evil.example' }],
  ])('refuses a form that %s sent, whatever it carries', async (_from, headers) => {
    const { signIn, send, formToken, store } = await browsing();
    await signIn();
    const form = { token: await formToken('users/42'), credits: '5', reason: 'x', key: 'k' };
    expect((await send('users/42/corrections', form, headers)).status).toBe(403);
    expect((await send('sign-in', { ownerToken: token }, headers)).status).toBe(403);
    expect(await store.ledger.account('42')).toMatchObject({ credits: 0 });
  });

  it('refuses a form without the token of its session', async () => {
    const { signIn, send, store } = await browsing();
    await signIn();
    for (const forged of [{}, { token: '' }, { token: 'x' }] as Record<string, string>[]) {
      expect((await send('users/42/corrections', { ...forged, credits: '5', reason: 'x', key: 'k' })).status).toBe(403);
    }
    expect(await store.ledger.account('42')).toMatchObject({ credits: 0 });
  });

  it('asks before it corrects, and corrects once however often the form is sent', async () => {
    const { signIn, send, formToken, store } = await browsing();
    await signIn();
    const form = { token: await formToken('users/42'), credits: '+5', reason: 'lost <i>vote</i>' };
    const asking = await send('users/42/corrections', form);
    expect(asking.text).toContain('0 credits → 5 credits');
    expect(asking.text).not.toContain('<i>');
    expect(await store.ledger.account('42')).toMatchObject({ credits: 0 });
    const key = /name="key" value="([^"]+)"/.exec(asking.text)?.[1] ?? '';
    const sent = await Promise.all([1, 2].map(() => send('users/42/corrections', { ...form, key })));
    expect(new Set(sent.map(({ headers }) => headers.get('location')))).toEqual(
      new Set(['../42?notice=corrected', '../42?notice=repeated']),
    );
    expect(await store.ledger.account('42')).toMatchObject({ credits: 5 });
  });

  it('shows a correction that cannot be with what was written and why not', async () => {
    const { signIn, send, formToken, store } = await browsing();
    await signIn();
    const faulty = await formToken('users/42');
    for (const [credits, reason, status, told] of [
      ['5.5', 'x', 400, 'credits'],
      ['0x10', 'x', 400, 'credits'],
      ['5', '  ', 400, 'reason'],
      ['-1', '"quoted"', 409, 'more than the balance'],
    ] as const) {
      const answer = await send('users/42/corrections', { token: faulty, credits, reason });
      expect(answer.status, credits).toBe(status);
      expect(answer.text, credits).toContain(told);
      expect(answer.text, credits).toContain(`value="${reason.replaceAll('"', '&#34;')}"`);
    }
    expect(await store.records.entries('42', 9)).toEqual([]);
  });

  it('replays from the page', async () => {
    const { signIn, send, formToken, post, buryAll, nudges, store } = await browsing();
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

  it('pages through deliveries under their filter', async () => {
    const { signIn, open, post } = await browsing();
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

  it('goes nowhere else: every link is relative, and nothing but its own is loaded', async () => {
    const { signIn, open, post, url } = await browsing();
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
        expect((await open(target.href.slice(`${url}/owner/`.length))).status, `${path} → ${link}`).toBe(200);
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

  it('leads after signing in to its own pages only', async () => {
    const { send } = await browsing();
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

  it('tells what is wrong as a page', async () => {
    const { signIn, open } = await browsing();
    await signIn();
    for (const [path, status, told] of [
      ['deliveries/99', 404, 'Delivery 99 does not exist.'],
      ['deliveries?since=soon', 400, 'since'],
      ['users?id=me', 400, 'userId'],
      ['nothing', 404, 'no such page'],
      ['users/%E0%A4%A', 400, 'decoded'],
    ] as const) {
      const page = await open(path);
      expect(page.status, path).toBe(status);
      expect(page.text, path).toContain(told);
      expect(page.headers.get('content-type')).toContain('text/html');
    }
  });
});

it('says on its first page that the service refuses a key, and what to do', async () => {
  const key = { listing: 'server', left: null, limit: 120, keyRefused: true, wrongShape: false };
  const { open, signIn } = await browsing({ budgets: async () => [key] });
  await signIn();
  const { text } = await open('');
  expect(text).toContain('The service rejects the API key of <bdi>server</bdi>');
  expect(text).toContain('unknown of 120');
});
