import { minute } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import type { Router } from 'express';
import { describe, expect, it, vi } from 'vitest';
import { Authentication } from '../../src/owner/authentication.ts';
import { createConsole } from '../../src/owner/console/console.ts';
import type { OwnerContext } from '../../src/owner/context.ts';
import { dot, ownerToken, startTwoCommunities } from '../support/two-communities.ts';

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: { readonly stack?: readonly Layer[] };
}

/** The routes of the console, as Express knows them. */
function routesOf({ stack }: { readonly stack?: readonly Layer[] }): { method: string; path: string }[] {
  return (stack ?? []).flatMap(({ route, handle }) =>
    route === undefined
      ? routesOf(handle)
      : Object.keys(route.methods).map((method) => ({ method: method.toUpperCase(), path: route.path })),
  );
}

const log = createLog({ level: 'silent', secrets: [] });
const consoleRouter: Router = createConsole(
  { token: ownerToken, discord: null, authentication: new Authentication({ token: ownerToken, log }) },
  { log, clock: manualClock(0) } as unknown as OwnerContext,
);
/** Those that need no session, or are about the choice of a server. */
const assets = ['/console.css', '/messages.css', '/previews.js', '/messages.js', '/icon.svg', '/picture.svg'];
const ownRoutes = [...assets, '/sign-in', '/sign-out', '/servers/'];
const routes = [
  ...new Map(
    routesOf(consoleRouter as unknown as Layer['handle'])
      .filter(({ path }) => !ownRoutes.includes(path))
      .map((route) => [`${route.method} ${route.path}`, route]),
  ).values(),
];

describe('a member who manages one of two servers', { timeout: 30_000 }, () => {
  const world = sharedByTests(startWithVotes);

  it('has routes to test', () => {
    expect(routes.length).toBeGreaterThan(10);
    expect(routes).toContainEqual({ method: 'POST', path: '/effects/:id/replay' });
  });

  for (const { method, path } of routes) {
    it(`neither sees nor changes the other one with ${method} ${path}`, async () => {
      const { browser, guilds, ofBees, operator, token } = world();
      const filled = path
        .slice(1)
        .replace(':id', String(idIn(path)))
        .replace(/:(userId|of)/, ofBees.userId);
      const before = await operator('effects?state=buried');
      const request = (prefix: string) =>
        method === 'GET'
          ? browser.open(`${prefix}${filled}`)
          : browser.send(`${prefix}${filled}`, {
              ...{ token, credits: '5', reason: 'stolen', key: 'k1', guildId: guilds.bees },
            });

      const elsewhere = await request(`servers/${guilds.bees}/`);
      expect(elsewhere.status).toBe(403);
      const whole = await request('');
      expect(whole.status).toBe(path === '/' ? 303 : 403);
      // Its own server, but with the ids of the other one.
      const own = await request(`servers/${guilds.harbour}/`);
      if (/:id/.test(path)) expect(own.status).toBe(404);
      for (const { text } of [elsewhere, whole, own]) {
        for (const secret of ofBees.secrets) expect(text).not.toContain(secret);
      }
      expect(await operator('effects?state=buried')).toEqual(before);
      expect(await operator(`users/${ofBees.userId}?guildId=${guilds.bees}`)).toMatchObject({ credits: 10 });
    });

    function idIn(route: string): number {
      return route.startsWith('/effects') ? world().ofBees.effect : world().ofBees.delivery;
    }
  }

  it('sees and changes the own one', async () => {
    const { browser, guilds, token, operator, ofHarbour } = world();
    const page = await browser.open(`servers/${guilds.harbour}/`);
    expect(page.text).toContain('Lantern Harbour');
    expect((await browser.open(`servers/${guilds.harbour}/deliveries`)).text).toContain(ofHarbour.userId);
    const correction = { token, credits: '7', reason: 'sorry', key: 'k2' };
    const path = `servers/${guilds.harbour}/users/${ofHarbour.userId}/corrections`;
    expect((await browser.send(path, { ...correction, token: 'forged' })).status).toBe(403);
    expect((await browser.send(path, correction)).status).toBe(303);
    expect(await operator(`users/${ofHarbour.userId}?guildId=${guilds.harbour}`)).toMatchObject({ credits: 17 });
  });

  it('sees the picture of the own server, and of members who have an account there', async () => {
    const { browser, openBrowser, guilds, post, tomas, mira } = world();
    const open = async (of: string, guild = guilds.harbour, visitor = browser) => {
      const { status, headers } = await visitor.open(`servers/${guild}/pictures/${of}`);
      return [status, headers.get('content-type'), headers.get('content-length'), headers.get('cache-control')];
    };
    const size = String(Buffer.from(dot.slice(dot.indexOf(',')), 'base64').length);
    const found = [200, 'image/png', size, 'private, max-age=3600'];
    /** Transparent. */
    const none = [200, 'image/png', '68', 'private, max-age=3600'];
    expect(await open('server')).toEqual(found);
    expect(await open(tomas.id)).toEqual(none);
    await post('harbour', { userId: tomas.id });
    await vi.waitFor(async () => expect(await open(tomas.id)).toEqual(found));
    for (const of of [mira.id, '1', 'constructor']) expect(await open(of), of).toEqual(none);
    for (const of of ['server', tomas.id]) {
      expect((await open(of, guilds.bees))[0]).toBe(403);
      expect((await open(of, guilds.harbour, openBrowser()))[0]).toBe(303);
    }
  });

  it('chooses among own servers only', async () => {
    const { browser, guilds } = world();
    const { text } = await browser.open('servers/');
    expect(text).toContain('Lantern Harbour');
    expect(text).not.toContain(guilds.bees);
    expect((await browser.open('')).location).toBe(`servers/${guilds.harbour}/`);
  });

  it('keeps no token, and has none in a log, cookie or page', async () => {
    const { browser, lines, first } = world();
    const tokens = first.requests.filter(({ path }) => path.includes('/oauth2/token'));
    expect(tokens.map(({ path }) => path)).toEqual([
      expect.stringContaining('/oauth2/token'),
      expect.stringContaining('/oauth2/token/revoke'),
    ]);
    expect(lines.join()).not.toContain(first.clientSecret);
    expect([...browser.cookies.keys()]).toEqual(['tallyhook_owner']);
  });
});

describe('the sign-in with Discord', { timeout: 30_000 }, () => {
  it('leads back to the page, and is bound to the browser that began it', async () => {
    const { openBrowser, mira } = await startTwoCommunities();
    const [victim, thief] = [openBrowser(), openBrowser()];
    const address = await victim.consent(mira.id);
    const stolen = await thief.open(address);
    expect([stolen.status, [...thief.cookies.keys()]]).toEqual([400, []]);
    const arrived = await victim.open(address);
    expect(arrived.status).toBe(200);
    expect(arrived.headers.get('set-cookie')).toContain('SameSite=Strict');
    expect(arrived.headers.get('refresh')).toBe('0; url=./deliveries');
    expect((await victim.open(address)).status).toBe(400);
    expect((await openBrowser().open(await victim.consent(mira.id, 'cancel'))).status).toBe(400);
    for (const next of ['//evil.example', 'https://evil.example', 'servers/1/../..//evil.example']) {
      const page = await victim.open(`sign-in?next=${encodeURIComponent(next)}`);
      expect(page.text).not.toContain('evil');
    }
  });

  it('is enough for a console without a token, and works in every process', async () => {
    const { openBrowser, mira, guilds, start, url } = await startTwoCommunities({
      OWNER_TOKEN: '',
      TALLYHOOK_ROLES: 'receive,answer',
    });
    const browser = openBrowser();
    expect((await browser.open('sign-in')).text).not.toContain('OWNER_TOKEN');
    expect((await browser.send('sign-in', { ownerToken: '' })).status).toBe(404);
    expect((await fetch(`${url}/owner/api/summary`)).status).toBe(404);
    await browser.signIn(mira.id);
    const other = openBrowser(await start());
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    expect((await other.open(`servers/${guilds.harbour}/`)).status).toBe(200);
    const token = await browser.formToken(`servers/${guilds.harbour}/`);
    expect((await browser.send('sign-out', { token })).status).toBe(303);
    expect((await other.open(`servers/${guilds.harbour}/`)).status).toBe(303);
  });

  it('ends within ten minutes after the permission is lost, and while Discord does not say it', async () => {
    const { openBrowser, first, tomas, guilds, clock } = await startTwoCommunities();
    const { moderator } = first.roles;
    first.guild.setRolePermissions(moderator, ['manageGuild', 'viewChannel']);
    first.guild.setRole(tomas.id, moderator, true);
    const browser = openBrowser();
    await browser.signIn(tomas.id);
    const status = async () => (await browser.open(`servers/${guilds.harbour}/`)).status;
    expect(await status()).toBe(200);
    first.guild.setRole(tomas.id, moderator, false);
    clock.advance(10 * minute);
    expect(await status()).toBe(403);
    first.guild.setRole(tomas.id, moderator, true);
    clock.advance(10 * minute);
    expect(await status()).toBe(200);
    first.guild.setRolePermissions(moderator, ['viewChannel']);
    clock.advance(10 * minute);
    expect(await status()).toBe(403);
    first.guild.setRolePermissions(moderator, ['manageGuild']);
    clock.advance(10 * minute);
    expect(await status()).toBe(200);

    first.faults.respond500(1_000, /GET .*\/guilds/);
    clock.advance(6 * minute);
    expect(await status()).toBe(200);
    clock.advance(4 * minute);
    const refused = await browser.open(`servers/${guilds.harbour}/`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '15']);
    expect(refused.text).toContain('Discord does not say at the moment');
  });
});

/** Mira is signed in; the second server has a vote, a delivery in quarantine and an announcement that failed. */
async function startWithVotes() {
  const world = await startTwoCommunities();
  const { url, post, guilds, openBrowser, mira } = world;
  const operator = async (path: string) =>
    (await (
      await fetch(`${url}/owner/api/${path}`, { headers: { authorization: `Bearer ${ownerToken}` } })
    ).json()) as Record<string, unknown>;
  const ofBees = { userId: '716390085896962058', secrets: ['ursula', 'bees', 'unknown_of_them'] };
  const ofHarbour = { userId: '318044130796109825' };
  expect(await post('harbour', { userId: ofHarbour.userId })).toMatchObject({ outcome: 'recorded' });
  const voter = { userId: ofBees.userId, username: 'ursula' };
  expect(await post('bees', { event: 'server_vote', voter })).toMatchObject({ outcome: 'recorded' });
  expect(await post('bees', { event: 'unknown_of_them', voter })).toMatchObject({ outcome: 'quarantined' });
  type Rows = { readonly id: number; readonly deliveryId: number }[];
  const { deliveries } = (await operator('deliveries?listing=bees')) as { deliveries: Rows };
  const [quarantined, vote] = deliveries;
  const effect = await vi.waitFor(async () => {
    const { effects } = (await operator('effects?state=buried')) as { effects: Rows };
    const found = effects.find(({ deliveryId }) => deliveryId === vote?.id);
    if (effects.length < 2 || found === undefined) throw new Error('not buried yet');
    return found.id;
  }, 10_000);
  const browser = openBrowser();
  await browser.signIn(mira.id);
  const token = await browser.formToken(`servers/${guilds.harbour}/`);
  return {
    ...world,
    ...{ operator, browser, token, ofHarbour, ofBees: { ...ofBees, effect, delivery: quarantined?.id ?? 0 } },
  };
}
