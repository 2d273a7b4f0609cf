import { inhabited, localDiscord } from 'local-discord/testing/local';
import { ask, follow, post } from 'local-discord/testing/page-client';
import { describe, expect, it } from 'vitest';
import type { TimelineItem, TimelineLine } from '../../src/sandbox/page/ports.ts';
import { service } from './page-ports.ts';

describe('the page', () => {
  it('loads only its own scripts, from this machine', async () => {
    const { origin } = await localDiscord({ page: service().ports });
    const page = await ask(origin, '/');
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'self'");
    expect(page.headers['x-frame-options']).toBe('DENY');
    expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|https?:\/\//);
    const files = [...page.text.matchAll(/(?:href|src)="(\/[^"]+\.\w+)"/g)].map((match) => match[1] ?? '');
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect(await ask(origin, file)).toMatchObject({ status: 200 });
    // Without a console.
    expect(await ask(origin, '/console')).toMatchObject({ status: 303, headers: { location: '/' } });
    expect(await ask(origin, '/../page.ts')).toMatchObject({ status: 404 });
    expect(await ask(origin, '/%2e%2e/page.ts')).toMatchObject({ status: 404 });
  });

  it('is served only for host names of this machine', async () => {
    const { origin } = await localDiscord({ page: service().ports });
    const port = new URL(origin).port;
    for (const path of ['/', '/page/events']) {
      expect(await ask(origin, path, { headers: { host: `evil.example:${port}` } })).toMatchObject({ status: 403 });
    }
    expect(await ask(origin, '/', { headers: { host: `localhost:${port}` } })).toMatchObject({ status: 200 });
  });

  it('rejects requests from other sites', async () => {
    const { ports } = service();
    const { origin, members } = await localDiscord({ page: ports });
    const vote = { userId: members[0]?.id, kind: 'server' };
    const refused = { status: 403 };
    expect(await post(origin, '/page/votes', vote, { origin: 'https://evil.example' })).toMatchObject(refused);
    expect(await post(origin, '/page/votes', vote, { origin: 'null' })).toMatchObject(refused);
    expect(await post(origin, '/page/votes', vote, { 'content-type': 'text/plain' })).toMatchObject(refused);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(vote);
    expect(await ask(origin, '/page/votes', { method: 'POST', headers, body })).toMatchObject(refused);
    expect(await post(origin, '/page/votes', vote)).toMatchObject({ status: 200 });
    expect(await ask(origin, '/page/votes', { method: 'DELETE', headers: { ...headers, origin } })).toMatchObject({
      status: 405,
    });
  });

  it('does not exist without its ports', async () => {
    const { origin } = await localDiscord();
    expect(await ask(origin, '/')).toMatchObject({ status: 404 });
  });
});

describe('the stream of the page', () => {
  it('starts with the full state, then sends messages, interactions, credits and timeline items', async () => {
    const { ports } = service();
    const { discord, mira, general } = await inhabited({ page: ports });
    const next = await follow(discord.origin);
    expect(await next(({ kind }) => kind === 'full_state')).toMatchObject({
      guild: { name: 'Lantern Harbour' },
      connected: true,
      listings: [{ kind: 'server' }],
      channels: [
        ...[{ name: 'votes' }, { name: 'general' }, { name: 'premium' }].map((each) => ({ ...each, kind: 'guild' })),
        { name: 'elsewhere', kind: 'other_guild' },
        { name: 'a group', kind: 'group' },
      ],
      commands: [{ name: 'canvote' }, { name: 'reviews' }, { name: 'slow' }, { name: 'silent' }],
      credits: { [mira.id]: 0 },
      timeline: [{ text: 'The bot is connected' }],
      time: { now: 1_767_225_600_000, speed: 2 },
      outages: { discord: false, service: false },
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
    await post(discord.origin, '/page/votes', { userId: mira.id, kind: 'server' });
    expect(
      await next(({ kind, item }) => kind === 'timeline' && (item as TimelineLine).text === 'recorded'),
    ).toBeTruthy();
    await next(({ kind, credits }) => kind === 'credits' && (credits as Record<string, number>)[mira.id] === 10);
  });

  it('sends an updated delivery with the same key, and once to a new page', async () => {
    const { ports, news } = service();
    const { origin } = await localDiscord({ page: ports });
    const next = await follow(origin);
    await next(({ kind }) => kind === 'full_state');
    const step = { name: 'received', tone: 'plain', text: 'Received', at: 0, afterMs: 0 } as const;
    const delivery = {
      kind: 'delivery',
      id: 7,
      at: 0,
      title: 'Server vote',
      event: 'server_vote',
      steps: [step],
      isSettled: false,
    } as const;
    const refused = { ...step, name: 'refused', text: 'Refused' } as const;
    for (const item of [delivery, { ...delivery, steps: [step, refused], isSettled: true }] satisfies TimelineItem[]) {
      news.emit('timeline', item);
    }
    const told = await next(({ item }) => (item as { isSettled?: boolean } | undefined)?.isSettled === true);
    expect(told).toMatchObject({ kind: 'timeline', item: { key: 'delivery-7', steps: [{}, { name: 'refused' }] } });
    const later = await (await follow(origin))(({ kind }) => kind === 'full_state');
    expect(later).toMatchObject({ timeline: [{ key: 'delivery-7', isSettled: true }] });
  });

  it('reports outages immediately', async () => {
    const { origin, members } = await localDiscord({ page: service().ports });
    const next = await follow(origin);
    await next(({ kind }) => kind === 'full_state');
    const pressed = await post(origin, '/page/trouble', { fault: 'service_down', userId: members[0]?.id });
    expect(JSON.parse(pressed.text)).toEqual({ message: 'did service_down' });
    expect(await next(({ kind }) => kind === 'simulation')).toMatchObject({ outages: { service: true } });
    const nonsense = await post(origin, '/page/trouble', { fault: 'set_fire', userId: members[0]?.id });
    expect(nonsense.status).toBe(400);
  });

  it('has the time in every event, and on request', async () => {
    const { ports } = service();
    let now = 1_000;
    const { origin, members } = await localDiscord({ page: { ...ports, time: { now: () => now, speed: 1 } } });
    const next = await follow(origin);
    expect(await next(({ kind }) => kind === 'full_state')).toMatchObject({ now: 1_000, time: { now: 1_000 } });
    now = 2_000;
    await post(origin, '/page/votes', { userId: members[0]?.id, kind: 'server' });
    expect(await next(({ kind }) => kind === 'timeline')).toMatchObject({ now: 2_000 });
    expect(JSON.parse((await post(origin, '/page/time', {})).text)).toEqual({ now: 2_000 });
  });

  it('contains the steps of the tour that were done', async () => {
    const { origin } = await localDiscord({ page: service().ports });
    expect(await post(origin, '/page/tour', { step: 'vote' })).toMatchObject({ status: 200 });
    expect(await post(origin, '/page/tour', { step: 'x'.repeat(51) })).toMatchObject({ status: 400 });
    expect(await (await follow(origin))(({ kind }) => kind === 'full_state')).toMatchObject({
      tours: { chosen: 'vote', done: ['vote'] },
    });
  });

  it('does not contain the bot’s token', async () => {
    const { discord } = await inhabited({ page: service().ports });
    const next = await follow(discord.origin);
    expect(JSON.stringify(await next(({ kind }) => kind === 'full_state'))).not.toContain(discord.token);
  });
});

describe('an action of the page', () => {
  it('is rejected with a message if it is not possible', async () => {
    const { discord, mira, general } = await inhabited({ page: service().ports });
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
    const failed = await run('/page/votes', { userId: '1', kind: 'server' });
    expect(failed).toEqual({ status: 502, error: 'The action failed. See the log of the sandbox.' });
  });

  it('changes roles and members, and reports both to every open page', async () => {
    const { discord, tomas } = await inhabited({ page: service().ports });
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
