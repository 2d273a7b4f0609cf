import { minute, second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { ask } from 'local-discord/testing/page-client';
import { describe, expect, it } from 'vitest';
import { createSignInLinks } from '../../src/owner/authentication.ts';
import { startOwnerServer } from '../support/owner-server.ts';

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
