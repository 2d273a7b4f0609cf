import { systemClock } from '@tallyhook/platform/clock';
import { describe, expect, it } from 'vitest';
import type { ActivityLine } from '../src/page/activity.ts';
import { inhabited, localDiscord } from '../testing/local.ts';
import { ask, follow, post } from '../testing/page-client.ts';

describe('the page of a local Discord', () => {
  it('loads only its own files, from this machine', async () => {
    const { origin } = await localDiscord({ page: true });
    const page = await ask(origin, '/');
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'self'");
    expect(page.headers['x-frame-options']).toBe('DENY');
    expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|https?:\/\//);
    const files = [...page.text.matchAll(/(?:href|src)="(\/[^"]+\.\w+)"/g)].map((match) => match[1] ?? '');
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect(await ask(origin, file)).toMatchObject({ status: 200 });
    expect(await ask(origin, '/../page.ts')).toMatchObject({ status: 404 });
    expect(await ask(origin, '/%2e%2e/page.ts')).toMatchObject({ status: 404 });
  });

  it('is where the addresses of channels at Discord lead', async () => {
    const { origin, guildId } = await localDiscord({ page: true });
    for (const place of [guildId, '@me'])
      expect(await ask(origin, `/channels/${place}`)).toMatchObject({ status: 303, headers: { location: '/' } });
  });

  it('is about Discord alone', async () => {
    const { origin, members } = await localDiscord({ page: true, names: {} });
    const { text } = await ask(origin, '/');
    expect(text).toContain('<title>Local Discord</title>');
    const state = await (await follow(origin))(({ kind }) => kind === 'full_state');
    expect(state).toMatchObject({ extension: null, bot: { name: 'test-bot' } });
    expect(text + JSON.stringify(state)).not.toMatch(/\bvot(?:es?|ers?|ing)\b|listing|credit|tallyhook|sandbox/i);
    expect((await ask(origin, '/main.js')).text).not.toContain('/page/votes');
    for (const path of ['/console', '/tours.css']) expect(await ask(origin, path)).toMatchObject({ status: 404 });
    const vote = { userId: members[0]?.id, kind: 'server' };
    expect(await post(origin, '/page/votes', vote)).toMatchObject({ status: 404 });
  });

  it('is served only for host names of this machine', async () => {
    const { origin } = await localDiscord({ page: true });
    const port = new URL(origin).port;
    for (const path of ['/', '/page/events']) {
      expect(await ask(origin, path, { headers: { host: `evil.example:${port}` } })).toMatchObject({ status: 403 });
    }
    expect(await ask(origin, '/', { headers: { host: `localhost:${port}` } })).toMatchObject({ status: 200 });
  });

  it('rejects requests from other sites', async () => {
    const { origin, members } = await localDiscord({ page: true });
    const closing = { userId: members[0]?.id, accepted: false };
    const refused = { status: 403 };
    expect(await post(origin, '/page/direct-messages', closing, { origin: 'https://evil.example' })).toMatchObject(
      refused,
    );
    expect(await post(origin, '/page/direct-messages', closing, { origin: 'null' })).toMatchObject(refused);
    expect(await post(origin, '/page/direct-messages', closing, { 'content-type': 'text/plain' })).toMatchObject(
      refused,
    );
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(closing);
    expect(await ask(origin, '/page/direct-messages', { method: 'POST', headers, body })).toMatchObject(refused);
    expect(await post(origin, '/page/direct-messages', closing)).toMatchObject({ status: 200 });
    expect(
      await ask(origin, '/page/direct-messages', { method: 'DELETE', headers: { ...headers, origin } }),
    ).toMatchObject({
      status: 405,
    });
  });

  it('does not exist without the option', async () => {
    const { origin } = await localDiscord();
    expect(await ask(origin, '/')).toMatchObject({ status: 404 });
  });
});

describe('the stream of the page', () => {
  it('starts with the full state, then sends messages, interactions and activity', async () => {
    const { discord, mira, general } = await inhabited({ page: true, clock: { ...systemClock, speed: 2 } });
    const next = await follow(discord.origin);
    expect(await next(({ kind }) => kind === 'full_state')).toMatchObject({
      guild: { name: 'Lantern Harbour' },
      connected: true,
      channels: [
        ...[{ name: 'announcements' }, { name: 'general' }, { name: 'premium' }].map((each) => ({
          ...each,
          kind: 'guild',
        })),
        { name: 'elsewhere', kind: 'other_guild' },
        { name: 'a group', kind: 'group' },
      ],
      commands: [{ name: 'canvote' }, { name: 'reviews' }, { name: 'slow' }, { name: 'silent' }],
      activity: [{ text: 'The bot is connected', tone: 'good' }],
      speed: 2,
    });
    const used = await post(discord.origin, '/page/commands', {
      name: 'canvote',
      userId: mira.id,
      channelId: general,
      options: {},
    });
    const { interactionId } = JSON.parse(used.text);
    expect(await next(({ kind }) => kind === 'message')).toMatchObject({
      onlyFor: mira.id,
      message: { channel_id: general },
    });
    await next((news) => news['interactionId'] === interactionId && news['state'] === 'answered');
    const isAnswered = ({ text, tone }: ActivityLine) =>
      tone === 'plain' && text.startsWith('mira used /canvote: responded');
    await next(({ kind, line }) => kind === 'activity' && isAnswered(line as ActivityLine));
    await post(discord.origin, '/page/commands', { name: 'silent', userId: mira.id, channelId: general, options: {} });
    const isFailed = ({ text, tone }: ActivityLine) =>
      tone === 'bad' && text === 'mira used /silent: no response within 3 seconds';
    await next(({ kind, line }) => kind === 'activity' && isFailed(line as ActivityLine));
  });

  it('has the time in every event, and on request', async () => {
    let now = 1_000;
    const { origin, members } = await localDiscord({ page: true, clock: { ...systemClock, now: () => now } });
    const next = await follow(origin);
    expect(await next(({ kind }) => kind === 'full_state')).toMatchObject({ now: 1_000, speed: 1 });
    now = 2_000;
    await post(origin, '/page/languages', { userId: members[0]?.id, locale: 'de' });
    expect(await next(({ kind }) => kind === 'sidebar')).toMatchObject({ now: 2_000 });
    expect(JSON.parse((await post(origin, '/page/time', {})).text)).toEqual({ now: 2_000 });
  });

  it('does not contain the bot’s token', async () => {
    const { discord } = await inhabited({ page: true });
    const next = await follow(discord.origin);
    expect(JSON.stringify(await next(({ kind }) => kind === 'full_state'))).not.toContain(discord.token);
  });
});

describe('an action of the page', () => {
  it('is rejected with a message if it is not possible', async () => {
    const { discord, mira, general } = await inhabited({ page: true });
    const run = async (path: string, body: unknown) => {
      const { status, text } = await post(discord.origin, path, body);
      return { status, ...JSON.parse(text) };
    };
    const use = { name: 'nonsense', userId: mira.id, channelId: general, options: {} };
    expect(await run('/page/commands', use)).toEqual({ status: 400, error: 'Unknown command: /nonsense' });
    expect(await run('/page/commands', { nonsense: true })).toEqual({ status: 400, error: 'Invalid request.' });
    expect(await run('/page/components', { messageId: '1', customId: 'x', userId: mira.id })).toMatchObject({
      status: 400,
    });
    expect(await run('/page/nowhere', {})).toMatchObject({ status: 404 });
  });

  it('changes roles and members, and reports both to every open page', async () => {
    const { discord, tomas } = await inhabited({ page: true });
    const { origin, roles } = discord;
    const next = await follow(origin);
    const memberWith = async (fields: object) =>
      await next(({ kind, members }) => kind === 'sidebar' && includesItem(members, { id: tomas.id, ...fields }));
    const run = async (path: string, body: object) => {
      const { status, text } = await post(origin, path, body);
      return { status, ...(JSON.parse(text) as { channelId?: string; error?: string }) };
    };
    expect(await run('/page/direct-messages', { userId: tomas.id, accepted: false })).toEqual({ status: 200 });
    await memberWith({ acceptsDirectMessages: false });
    expect(await run('/page/members', { userId: tomas.id, change: 'leave' })).toEqual({ status: 200 });
    await memberWith({ isMember: false });
    expect(await run('/page/members', { userId: tomas.id, change: 'rejoin' })).toEqual({ status: 200 });
    const { channelId } = await run('/page/conversations', { userId: tomas.id });
    await next(({ kind, channels }) => kind === 'sidebar' && includesItem(channels, { id: channelId, with: tomas.id }));
    expect(await run('/page/roles', { roleId: roles.voter, position: 3 })).toEqual({ status: 200 });
    await next(({ kind, roles: all }) => kind === 'sidebar' && includesItem(all, { id: roles.voter, position: 3 }));
    expect(await run('/page/roles', { roleId: roles.vip, position: null })).toEqual({ status: 200 });
    await next(({ kind, roles: all }) => kind === 'sidebar' && !includesItem(all, { id: roles.vip }));
    for (const [path, body] of [
      ['/page/roles', { roleId: roles.vip, position: 1 }],
      ['/page/roles', { roleId: roles.voter, position: 0 }],
      ['/page/members', { userId: tomas.id, change: 'ban' }],
      ['/page/members', { userId: discord.applicationId, change: 'leave' }],
      ['/page/conversations', { userId: discord.applicationId }],
      ['/page/direct-messages', { userId: '1', accepted: true }],
    ] as const) {
      expect(await run(path, body)).toMatchObject({ status: 400, error: expect.any(String) });
    }
  });
});

/** Whether a list of a page event contains an object with these fields. */
function includesItem(items: unknown, fields: object): boolean {
  const entries = Object.entries(fields);
  return (items as Readonly<Record<string, unknown>>[]).some((item) =>
    entries.every(([name, value]) => item[name] === value),
  );
}
