import { minute, second } from '@tallyhook/platform/durations';
import { fixedDate } from '@tallyhook/platform/testing/fixed-date';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { ask } from 'local-discord/testing/page-client';
import { describe, expect, it } from 'vitest';
import { createSignInLinks } from '../../src/owner/authentication.ts';
import { startOwnerServer } from '../support/owner-server.ts';

describe('wrong tokens', () => {
  /** Requests through a proxy that sends the client's address; null for a direct request. */
  async function serverBehindProxy() {
    const server = await startOwnerServer();
    const requestAs = async (client: string | null, authorization?: string) => {
      const headers = client === null ? {} : { 'x-forwarded-for': client };
      return (await server.request('/summary', { headers, ...(authorization && { authorization }) })).status;
    };
    return { ...server, requestAs, guess: (client: string | null) => requestAs(client, 'Bearer guess') };
  }

  it.each([
    ['an address with another port each time', (index: number) => `203.0.113.7:${40_000 + index}`],
    ['an IPv6 address with another port each time', (index: number) => `[2001:db8::1]:${40_000 + index}`],
    ['other addresses of one IPv6 network', (index: number) => `2001:db8::${index.toString(16)}`],
    ['an address after a forged one', (index: number) => `198.51.100.${index}, 203.0.113.7`],
    ['an address behind a proxy with a port', (index: number) => `203.0.113.7, 10.0.0.1:${40_000 + index}`],
    ['unparsable addresses', (index: number) => `invalid-${index}`],
  ])('from %s count for one client', async (_description, clientAt) => {
    const { guess } = await serverBehindProxy();
    const statuses = [];
    for (let index = 0; index < 12; index += 1) statuses.push(await guess(clientAt(index)));
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  });

  it('from all addresses together are limited, without locking out this machine or addresses that sent the right token', async () => {
    const clock = fixedDate();
    const { guess, requestAs, lines } = await serverBehindProxy();
    expect(await requestAs('192.0.2.1')).toBe(200);
    const statuses = [];
    for (let index = 0; index < 110; index += 1) statuses.push(await guess(`203.0.113.${index}`));
    expect(statuses.filter((status) => status === 401)).toHaveLength(100);
    expect(statuses.slice(100)).toEqual(Array<number>(10).fill(429));
    expect(lines.filter((line) => line.includes('too many wrong owner tokens from many addresses'))).toHaveLength(1);

    expect(await requestAs('192.0.2.2')).toBe(429);
    expect(await requestAs('192.0.2.1')).toBe(200);
    expect(await requestAs(null)).toBe(200);
    for (let index = 0; index < 10; index += 1) expect(await guess(null)).toBe(401);
    expect(await requestAs(null)).toBe(429);

    clock.leap(minute);
    expect(await requestAs('192.0.2.2')).toBe(200);
  });
});

async function withLinks() {
  const clock = manualClock();
  const signInLinks = createSignInLinks(clock);
  const { url, lines } = await startOwnerServer({ signInLinks });
  const open = (path: string, headers: Record<string, string> = {}) => ask(url, `/owner/${path}`, { headers });
  return { clock, lines, open, create: signInLinks.create };
}

describe('a link that signs in to the console', () => {
  it('does so once, and leads to the overview', async () => {
    const { open, create, lines } = await withLinks();
    const link = create();
    const { status, headers, text } = await open(link);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      refresh: '0; url=./',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    const [setCookie = ''] = headers['set-cookie'] ?? [];
    expect(setCookie).toMatch(/HttpOnly.*SameSite=Strict/);
    const cookie = setCookie.split(';')[0] ?? '';
    expect((await open('', { cookie })).status).toBe(200);
    const again = await open(link);
    expect(again).toMatchObject({ status: 403 });
    expect(again.headers).not.toHaveProperty('set-cookie');
    const code = link.split('=')[1] ?? '';
    expect(code.length).toBeGreaterThan(40);
    expect([text, again.text, ...lines].join('')).not.toContain(code);
  });

  it('ends after a minute, and when there is a new one', async () => {
    const { clock, open, create } = await withLinks();
    const first = create();
    const next = create();
    expect((await open(first)).status).toBe(403);
    await clock.advance(minute - 1 * second);
    expect((await open(next)).status).toBe(200);
    const late = create();
    await clock.advance(minute);
    expect((await open(late)).status).toBe(403);
  });

  it('needs its whole code, and a host name of this machine', async () => {
    const { open, create } = await withLinks();
    const link = create();
    for (const wrong of ['sign-in-link', 'sign-in-link?code=', link.slice(0, -1), `${link}&code=x`])
      expect((await open(wrong)).status, wrong).toBe(403);
    expect((await open(link, { host: 'evil.example' })).status).toBe(403);
    expect((await open(link)).status).toBe(200);
  });

  it('does not exist in a console without such links', async () => {
    const { url } = await startOwnerServer();
    const link = createSignInLinks(manualClock()).create();
    expect((await ask(url, `/owner/${link}`)).status).toBe(404);
  });
});
