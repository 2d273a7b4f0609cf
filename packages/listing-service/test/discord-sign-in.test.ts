import { hour, minute } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { systemResolve } from '@tallyhook/platform/webhooks/target';
import type { LocalDiscord } from 'local-discord';
import { localDiscord } from 'local-discord/testing/local-discord';
import { describe, expect, it } from 'vitest';
import { configureOwnersWebhook } from '../src/actions/configure-webhook.ts';
import { createOwnersListing, takeOverListing } from '../src/actions/create-listing.ts';
import type { ServiceOptions } from '../src/service.ts';
import { openDatabase } from '../src/storage/database.ts';
import { issueOwnersKey } from '../src/storage/listings/keys.ts';
import { provenGuilds } from '../src/storage/members/proven-guilds.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { type Browser, browser } from '../testing/discord-browser.ts';
import { type Running, receiver, running, serverId } from '../testing/running.ts';

const clientId = '1190000000000000003';
const clientSecret = 'a secret of the tests';
const [mira, tobias, aiko] = [
  { id: '318044130796109825', username: 'mira' },
  { id: '222079895583457280', username: 'tobias_k' },
  { id: '271234567890123776', username: '<b>Ayşe</b>' },
];
/** Owned by the second person of the local Discord. */
const otherGuildId = '1190000000000000101';

interface Site extends Running {
  readonly discord: LocalDiscord;
  readonly url: string;
}

/** A hosted service whose members sign in at a local Discord, where mira owns the seeded server. */
async function site(changes: Pick<ServiceOptions, 'publicUrl' | 'database'> = {}): Promise<Site> {
  const discord = await localDiscord({
    guild: { id: serverId, name: 'Lantern Harbour' },
    people: [mira, tobias, aiko],
    applications: [{ id: clientId, name: 'Listing service', clientSecret, redirectUris: null }],
  });
  const application = { clientId, clientSecret, apiUrl: discord.apiUrl };
  const all = await running({ actAsMembers: false, discord: application, ...changes });
  return { ...all, discord, url: all.service.url };
}

/** Opens a start page, and answers on Discord's page; returns the URL to which Discord sends the browser. */
async function consent(visitor: Browser, startUrl: string, userId: string, decision = 'authorize'): Promise<string> {
  const { location } = await visitor.open(startUrl);
  return (await visitor.open(location, answer(userId, decision))).location;
}

const answer = (user: string, decision: string) => ({
  method: 'POST',
  body: new URLSearchParams({ user, decision }),
});

async function signIn({ url }: Site, visitor: Browser, userId: string, path = '/sign-in/discord') {
  return visitor.open(await consent(visitor, url + path, userId));
}

/** The name in the page's header; null for a visitor without a session. */
async function nameOf({ url }: Pick<Site, 'url'>, visitor: Browser): Promise<string | null> {
  return /class="who"[^>]*>(?:<bdi>)?([^<]*)</.exec((await visitor.open(`${url}/`)).text)?.[1] ?? null;
}

describe('sign-in with Discord', () => {
  it('asks for the identity only, starts a session, and ends the tokens', async () => {
    const all = await site();
    const visitor = browser();
    expect((await visitor.open(`${all.url}/sign-in?next=/dashboard`)).text).toContain(
      '<a class="button" href="/sign-in/discord?next=%2Fdashboard">Sign in with Discord</a>',
    );
    const { location } = await visitor.open(`${all.url}/sign-in/discord?next=/dashboard`);
    expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
      scope: 'identify',
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${all.url}/sign-in/discord/callback`,
    });
    const page = await visitor.open(location);
    expect(page.text).toContain('Listing service wants to access your account');
    const back = (await visitor.open(location, answer(aiko.id, 'authorize'))).location;
    const signedIn = await visitor.open(back);
    expect(signedIn).toMatchObject({ status: 303, location: '/dashboard?notice=signed-in' });
    expect(await nameOf(all, visitor)).toBe('&#60;b&#62;Ayşe&#60;/b&#62;');
    expect(visitor.cookieNames()).toEqual(['tallyhook_session']);
    expect(all.discord.requests.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
      'POST /oauth2/token 200',
      'GET /users/@me 200',
      'POST /oauth2/token/revoke 200',
    ]);
    expect(all.lines.join('')).not.toContain(new URL(back).searchParams.get('code'));
  });

  it('sets cookies for HTTPS and this host alone behind an HTTPS proxy', async () => {
    const all = await site({ publicUrl: 'https://list.example' });
    const proxied = { headers: { host: 'list.example' } };
    const visitor = browser();
    const { headers, location } = await visitor.open(`http://127.0.0.1:${all.port}/sign-in/discord?moved=1`, proxied);
    expect(headers.get('set-cookie')).toMatch(/^__Host-tallyhook_sign_in=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const back = (await visitor.open(location, answer(mira.id, 'authorize'))).location;
    expect(back).toMatch(/^https:\/\/list\.example\/sign-in\/discord\/callback\?/);
    await visitor.open(back.replace('https://list.example', `http://127.0.0.1:${all.port}`), proxied);
    expect(visitor.cookieNames()).toEqual(['__Host-tallyhook_session']);
  });

  it('goes on at the public address, where Discord will return, if it was started at another', async () => {
    const { url, port } = await site();
    const moved = await browser().open(`http://localhost:${port}/sign-in/discord?next=/dashboard`);
    expect(moved.location).toBe(`${url}/sign-in/discord?next=%2Fdashboard&moved=1`);
    expect(moved.headers.get('set-cookie')).toBeNull();
  });

  it.each([
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/%2F/evil.example',
    '/~x',
    `/${'a'.repeat(300)}`,
  ])('does not redirect to %s', async (next) => {
    const all = await site();
    const path = `/sign-in/discord?next=${encodeURIComponent(next)}`;
    expect((await signIn(all, browser(), mira.id, path)).location).toBe('/?notice=signed-in');
  });

  it('is refused to another browser, a forged state, a second use, and after ten minutes', async () => {
    const all = await site();
    const visitor = browser();
    const start = `${all.url}/sign-in/discord?next=/dashboard`;
    const expired = { status: 400, text: expect.stringContaining('was already used') };

    // Login CSRF: the attacker's own callback, opened by the victim, without and with an attempt of the victim.
    const attackers = await consent(browser(), start, tobias.id);
    expect(await visitor.open(attackers)).toMatchObject(expired);
    await visitor.open(start);
    expect(await visitor.open(attackers)).toMatchObject(expired);

    const genuine = await consent(visitor, start, mira.id);
    const forged = genuine.replace(/state=(.)/, (_, first) => `state=${first === '_' ? 'x' : '_'}`);
    expect(await visitor.open(forged)).toMatchObject(expired);
    const late = await consent(visitor, start, mira.id);
    all.clock.leap(10 * minute);
    expect(await visitor.open(late)).toMatchObject(expired);
    expect(await nameOf(all, visitor)).toBeNull();

    const used = await consent(visitor, start, mira.id);
    const cookie = visitor.cookie('tallyhook_sign_in') ?? '';
    expect((await visitor.open(used)).status).toBe(303);
    expect(await visitor.open(used)).toMatchObject(expired);
    // Even with the cookie that the browser had: Discord accepts a code once.
    const page = await browser({ tallyhook_sign_in: cookie }).open(used);
    expect(page).toMatchObject(expired);
    expect(page.text).toContain('href="/sign-in/discord?next=%2Fdashboard"');
  });

  it('rejects a code that was issued for another browser (PKCE)', async () => {
    const all = await site();
    const visitor = browser();
    const stolen = new URL(await consent(browser(), `${all.url}/sign-in/discord`, tobias.id)).searchParams.get('code');
    const own = new URL(await consent(visitor, `${all.url}/sign-in/discord`, mira.id));
    own.searchParams.set('code', stolen ?? '');
    expect((await visitor.open(own.href)).status).toBe(400);
    expect(await nameOf(all, visitor)).toBeNull();
    expect(all.discord.requests.map(({ path, status }) => `${path} ${status}`)).toEqual(['/oauth2/token 400']);
  });

  it.each([
    ['cancels', (url: URL) => url, 400, 'did not give the permission'],
    ['comes without a code', (url: URL) => without(url, 'code'), 400, 'was already used'],
    ['comes with a long code', (url: URL) => withValue(url, 'code', 'x'.repeat(600)), 400, 'was already used'],
    ['comes with an unknown error', (url: URL) => withValue(url, 'error', '<img>'), 502, 'rejected this sign-in'],
    ['comes with an error of Discord', (url: URL) => withValue(url, 'error', 'server_error'), 503, 'does not respond'],
  ] as const)('explains what to do when a member %s', async (what, change, status, text) => {
    const all = await site();
    const visitor = browser();
    const decision = what === 'cancels' ? 'cancel' : 'authorize';
    const back = await consent(visitor, `${all.url}/sign-in/discord?next=/dashboard`, mira.id, decision);
    const page = await visitor.open(change(new URL(back)).href);
    expect(page).toMatchObject({ status, text: expect.stringContaining(text) });
    expect(page.text).toContain(
      '<a class="button" href="/sign-in/discord?next=%2Fdashboard">Try again with Discord</a>',
    );
    expect(page.text).not.toContain('<img>');
    expect(all.discord.requests).toEqual([]);
    expect(visitor.cookieNames()).toEqual([]);
  });

  it('explains failures of Discord, after which members can try again', async () => {
    const all = await site();
    const { faults } = all.discord;
    const visitor = browser();
    const failed = { status: 503, text: expect.stringContaining('does not respond') };
    faults.respond429(1, 90, /token$/);
    const limited = await signIn(all, visitor, mira.id);
    expect(limited).toMatchObject({ status: 503, text: expect.stringContaining('try again in 2 minutes') });
    expect(limited.headers.get('retry-after')).toBe('90');
    faults.respond500(1, /users\/@me/);
    expect(await signIn(all, visitor, mira.id)).toMatchObject(failed);
    faults.loseAnswers(1, /token$/);
    expect(await signIn(all, visitor, mira.id)).toMatchObject(failed);
    const back = await consent(visitor, `${all.url}/sign-in/discord`, mira.id);
    faults.outage(true);
    expect(await visitor.open(back)).toMatchObject(failed);
    faults.clear();
    // The member is signed in, even if the token cannot be revoked.
    faults.respond500(1, /revoke/);
    expect((await signIn(all, visitor, mira.id)).status).toBe(303);
    expect(await nameOf(all, visitor)).toBe('mira');
  });

  it('says that the operator has to act if the client secret is wrong', async () => {
    const discord = await localDiscord({
      applications: [{ id: clientId, name: 'Listing service', clientSecret, redirectUris: null }],
    });
    const application = { clientId, clientSecret: 'wrong', apiUrl: () => discord.apiUrl };
    const all = await running({ actAsMembers: false, discord: application });
    const visitor = browser();
    const back = await consent(visitor, `${all.service.url}/sign-in/discord`, discord.members[0]?.id ?? '');
    expect(await visitor.open(back)).toMatchObject({ status: 502, text: expect.stringContaining('tell the operator') });
    expect(all.lines.join('')).toContain('invalid client secret');
  });

  it('does not exist without an application', async () => {
    const { service } = await running({ actAsMembers: false });
    const { text } = await browser().open(`${service.url}/sign-in`);
    expect(text).not.toContain('with Discord');
    expect((await browser().open(`${service.url}/sign-in/discord/callback`)).status).toBe(404);
  });
});

describeOnBothDatabases('sessions', (newDatabase) => {
  it('end in all browsers and processes when the member signs out everywhere', async () => {
    const all = await site({ database: newDatabase() });
    const application = { clientId, clientSecret, apiUrl: all.discord.apiUrl };
    const options = { database: all.database, seed: false, actAsMembers: false, discord: application };
    const second = await running({ ...options, clock: all.clock, publicUrl: all.url });
    const secondUrl = `http://127.0.0.1:${second.port}`;
    const [phone, laptop, other] = [browser(), browser(), browser()];
    await signIn(all, phone, mira.id);
    await signIn(all, laptop, mira.id);
    await signIn(all, other, tobias.id);
    expect(await nameOf({ url: secondUrl }, laptop)).toBe('mira');
    const { text } = await phone.open(`${all.url}/sign-in`);
    const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const everywhere = `${secondUrl}/sign-out/everywhere`;
    expect((await phone.open(everywhere, { method: 'POST', body: new URLSearchParams() })).status).toBe(403);
    expect(await nameOf(all, laptop)).toBe('mira');
    const sent = await phone.open(everywhere, { method: 'POST', body: new URLSearchParams({ token }) });
    expect(sent.location).toBe('/?notice=signed-out-everywhere');
    for (const url of [all.url, secondUrl]) {
      expect([await nameOf({ url }, phone), await nameOf({ url }, laptop)]).toEqual([null, null]);
      expect(await nameOf({ url }, other)).toBe('tobias_k');
    }
    await signIn(all, laptop, mira.id);
    expect(await nameOf({ url: secondUrl }, laptop)).toBe('mira');
  });

  it('end in all processes when the member signs out, also for a copy of the cookie, and no others', async () => {
    const all = await site({ database: newDatabase() });
    const second = await running({ database: all.database, seed: false, actAsMembers: false, clock: all.clock });
    const secondUrl = `http://127.0.0.1:${second.port}`;
    const [phone, laptop] = [browser(), browser()];
    await signIn(all, phone, mira.id);
    await signIn(all, laptop, mira.id);
    const cookieOf = (each: Browser) =>
      each
        .cookieNames()
        .map((name) => `${name}=${each.cookie(name)}`)
        .join('; ');
    const copied = cookieOf(phone);
    const { text } = await phone.open(`${all.url}/sign-in`);
    const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const data = async (url: string, cookie: string) =>
      (await fetch(`${url}/your-data`, { headers: { cookie }, redirect: 'manual' })).status;
    expect(await data(all.url, copied)).toBe(200);
    const sent = await phone.open(`${all.url}/sign-out`, { method: 'POST', body: new URLSearchParams({ token }) });
    expect(sent.location).toBe('/?notice=signed-out');
    for (const url of [all.url, secondUrl]) {
      expect(await data(url, copied)).toBe(303);
      expect(await data(url, cookieOf(laptop))).toBe(200);
    }
    await signIn(all, phone, mira.id);
    expect(await nameOf(all, phone)).toBe('mira');
  });

  it('are replaced at each sign-in, with their CSRF token', async () => {
    const all = await site({ database: newDatabase() });
    const visitor = browser();
    const tokens: (string | undefined)[] = [];
    for (const member of [mira, mira, tobias]) {
      await signIn(all, visitor, member.id);
      tokens.push(/name="token" value="([^"]+)"/.exec((await visitor.open(`${all.url}/`)).text)?.[1]);
      expect(await nameOf(all, visitor)).toBe(member.username);
    }
    expect(new Set(tokens).size).toBe(3);
  });
});

describeOnBothDatabases('the proof of servers', (newDatabase) => {
  const servers = '/sign-in/discord/servers?next=/dashboard';

  it('lists what the member owns or may manage, for an hour', async () => {
    const all = await site({ database: newDatabase() });
    const database = await openDatabase(all.database);
    const [owner, manager] = [browser(), browser()];
    const { location } = await owner.open(all.url + servers);
    expect(new URL(location).searchParams.get('scope')).toBe('identify guilds');
    expect(await signIn(all, owner, mira.id, servers)).toMatchObject({ status: 303, location: '/dashboard' });
    const now = all.clock.now();
    const iconUrl = expect.stringContaining(`/icons/${serverId}/`);
    const harbour = { id: serverId, name: 'Lantern Harbour', iconUrl, members: 4, online: 4 };
    expect(await provenGuilds(database, mira.id, now)).toEqual([{ ...harbour, isOwner: true }]);
    expect(await provenGuilds(database, tobias.id, now)).toEqual([]);
    expect(await provenGuilds(database, mira.id, now + hour)).toEqual([]);
    // After the clock was set back, the age of the proof is unknown.
    expect(await provenGuilds(database, mira.id, now - hour)).toEqual([]);

    all.discord.guild.setRole(tobias.id, all.discord.roles.owner, true);
    await signIn(all, manager, tobias.id, servers);
    expect(await provenGuilds(database, tobias.id, now)).toMatchObject([
      { id: otherGuildId, name: 'Elsewhere', isOwner: true },
      { ...harbour, isOwner: false },
    ]);
    all.discord.guild.setRole(tobias.id, all.discord.roles.owner, false);
    await signIn(all, manager, tobias.id, servers);
    expect(await provenGuilds(database, tobias.id, now)).toHaveLength(1);
    await database.destroy();
  });

  it('is not accepted for another account than that of the session', async () => {
    const all = await site({ database: newDatabase() });
    const visitor = browser();
    await signIn(all, visitor, tobias.id);
    const page = await signIn(all, visitor, mira.id, servers);
    expect(page).toMatchObject({ status: 409, text: expect.stringContaining('<bdi>tobias_k</bdi>') });
    expect(page.text).toContain('href="/sign-in/discord/servers?next=%2Fdashboard"');
    const database = await openDatabase(all.database);
    expect(await provenGuilds(database, mira.id, all.clock.now())).toEqual([]);
    expect(await nameOf(all, visitor)).toBe('tobias_k');
    await database.destroy();
  });

  it('lets a member add servers, and take over the listing of an own one', async () => {
    const all = await site({ database: newDatabase() });
    const next = '/sign-in/discord/servers?next=/dashboard/new';
    const send = async (visitor: Browser, path: string, fields: Record<string, string>) => {
      const page = await visitor.open(`${all.url}/dashboard/new`);
      const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const body = new URLSearchParams({ token, ...fields });
      return { page: page.text, sent: await visitor.open(all.url + path, { method: 'POST', body }) };
    };
    const [owner, manager] = [browser(), browser()];
    all.discord.guild.setRole(tobias.id, all.discord.roles.owner, true);
    await signIn(all, manager, tobias.id, next);
    // Anybody may claim that a bot has this id.
    const database = await openDatabase(all.database);
    const common = { id: otherGuildId, name: 'No bot', description: '', tags: [], ownerId: aiko.id, createdAt: 1 };
    const bot = { ...common, kind: 'bot', facts: { servers: 0, shards: 1 } } as const;
    expect(await createOwnersListing(database, bot, 'pending')).toBe('created-pending');
    await database.destroy();
    const added = await send(manager, '/dashboard/new/server', { id: otherGuildId });
    expect(added.page).toContain('<option value="1190000000000000101" dir="auto">Elsewhere</option>');
    expect(added.page).toContain('Only the owner of the server can take over its listing.');
    expect(added.sent.location).toBe(`/dashboard/${otherGuildId}?notice=created`);
    expect((await send(manager, '/dashboard/new/server', { id: '99' })).sent.status).toBe(403);
    expect((await send(manager, '/dashboard/new/take-over', { id: serverId })).sent.status).toBe(403);

    await signIn(all, owner, mira.id, next);
    const taken = await send(owner, '/dashboard/new/take-over', { id: serverId });
    expect(taken.page).toContain('Take over the listing');
    expect(taken.sent.location).toBe(`/dashboard/${serverId}?notice=taken-over`);
    expect((await owner.open(`${all.url}/dashboard/${serverId}`)).status).toBe(200);
    expect((await owner.open(`${all.url}/dashboard/new`)).text).toContain(`<a href="/dashboard/${serverId}">`);
  });

  it('gives a listing to the owner of the server only, without the keys and webhooks of the former owner', async () => {
    const all = await site({ database: newDatabase() });
    const database = await openDatabase(all.database);
    const take = (userId: string) => takeOverListing(database, serverId, userId, all.clock.now());
    const now = all.clock.now();
    await all.service.setWebhook(serverId, {
      voteUrl: 'http://127.0.0.1:8099/hooks',
      voteSecret: 'a secret of the tests',
    });
    all.discord.guild.setRole(tobias.id, all.discord.roles.owner, true);
    await signIn(all, browser(), tobias.id, servers);
    // May manage the server, but does not own it.
    expect([await take(tobias.id), await take(mira.id)]).toEqual([false, false]);
    await signIn(all, browser(), mira.id, servers);
    const status = async () => (await all.get('/server', { 'X-API-Key': all.keys.server })).status;
    expect(await status()).toBe(200);
    const before = (await all.service.listings()).find(({ id }) => id === serverId);
    if (before === undefined) throw new Error('The listing is missing.');
    expect([await take(mira.id), await take(mira.id)]).toEqual([true, false]);
    expect(await status()).toBe(401);
    const listing = (await all.service.listings()).find(({ id }) => id === serverId);
    expect(listing?.ownerId).toBe(mira.id);
    // Forms of the former owner that were checked before, and are executed afterwards.
    expect(await issueOwnersKey(database, before, { userId: before.ownerId, label: 'late', now })).toBe('not-owner');
    const late = { listingId: serverId, family: 'vote' as const, url: 'http://127.0.0.1:8099/hooks' };
    const policy = { allowLoopback: true, resolve: systemResolve };
    expect(await configureOwnersWebhook(database, { ...late, userId: before.ownerId }, policy)).toBeNull();
    expect(await database.selectFrom('webhooks').selectAll().where('listing_id', '=', serverId).execute()).toEqual([]);
    expect(await takeOverListing(database, otherGuildId, mira.id, now)).toBe(false);
    await database.destroy();
  });

  it('does not show the new owner of a listing to which addresses the former owner had votes sent', async () => {
    const all = await site({ database: newDatabase() });
    const { url } = await receiver();
    await all.service.setWebhook(serverId, { voteUrl: `${url}?token=1234` });
    await all.service.castVote({ listingId: serverId, userId: '42', username: 'sam' });
    const database = await openDatabase(all.database);
    const urls = async () => (await database.selectFrom('attempts').select('url').execute()).map((each) => each.url);
    await eventually(async () => expect(await urls()).toEqual([`${url}?token=1234`]));
    const owner = browser();
    await signIn(all, owner, mira.id, servers);
    expect(await takeOverListing(database, serverId, mira.id, all.clock.now())).toBe(true);
    expect(await urls()).toEqual(['']);
    await database.destroy();
    const { text } = await owner.open(`${all.url}/dashboard/${serverId}/export`);
    expect(text).toContain('"url":"",');
    expect(text).not.toContain('token=1234');
  });
});

function without(url: URL, name: string): URL {
  url.searchParams.delete(name);
  return url;
}

function withValue(url: URL, name: string, value: string): URL {
  url.searchParams.set(name, value);
  return url;
}
