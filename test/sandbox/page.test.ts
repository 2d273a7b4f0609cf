import { inhabited, localDiscord } from 'local-discord/testing/local';
import { ask, follow, post } from 'local-discord/testing/page-client';
import { describe, expect, it } from 'vitest';
import type { TimelineItem, TimelineLine } from '../../src/sandbox/page/ports.ts';
import { service } from './page-ports.ts';

describe('the page of the sandbox', () => {
  it('has panels, files and paths of its own', async () => {
    const { origin } = await localDiscord(service().options);
    const { text } = await ask(origin, '/');
    expect(text).toContain('<title>tallyhook sandbox</title>');
    for (const panel of ['hint-panel', 'votes', 'timeline', 'doctor']) expect(text).toContain(`id="${panel}"`);
    // Other sheets of this origin come before them, which they change.
    expect(text).toMatch(/narrow\.css".*tours\.css".*<\/head>/s);
    for (const file of ['/tours.css', '/sandbox.svg']) expect(await ask(origin, file)).toMatchObject({ status: 200 });
    expect((await ask(origin, '/main.js')).text).toContain('/page/votes');
    // Without a console.
    expect(await ask(origin, '/console')).toMatchObject({ status: 303, headers: { location: '/' } });
    for (const headers of [{ host: 'evil.example' }, {}])
      expect(await ask(origin, '/console', { headers })).toMatchObject({ status: 'host' in headers ? 403 : 303 });
  });

  it('sends credits and timeline items', async () => {
    const { discord, mira } = await inhabited(service().options);
    const next = await follow(discord.origin);
    expect(await next(({ kind }) => kind === 'full_state')).toMatchObject({
      extension: {
        listings: [{ kind: 'server' }],
        credits: { [mira.id]: 0 },
        timeline: [],
        outages: { discord: false, service: false },
      },
    });
    await post(discord.origin, '/page/votes', { userId: mira.id, kind: 'server' });
    expect(
      await next(({ kind, item }) => kind === 'timeline' && (item as TimelineLine).text === 'recorded'),
    ).toBeTruthy();
    await next(({ kind, credits }) => kind === 'credits' && (credits as Record<string, number>)[mira.id] === 10);
  });

  it('sends an updated delivery with the same key, and once to a new page', async () => {
    const { options, news } = service();
    const { origin } = await localDiscord(options);
    const next = await follow(origin);
    await next(({ kind }) => kind === 'full_state');
    const step = { name: 'received', tone: 'plain', text: 'Received', at: 0, afterMs: 0 } as const;
    const delivery = {
      kind: 'delivery',
      ...{ id: 7, at: 0, title: 'Server vote', event: 'server_vote', steps: [step] },
      isSettled: false,
    } as const;
    const refused = { ...step, name: 'refused', text: 'Refused' } as const;
    for (const item of [delivery, { ...delivery, steps: [step, refused], isSettled: true }] satisfies TimelineItem[]) {
      news.emit('timeline', item);
    }
    const told = await next(({ item }) => (item as { isSettled?: boolean } | undefined)?.isSettled === true);
    expect(told).toMatchObject({ kind: 'timeline', item: { key: 'delivery-7', steps: [{}, { name: 'refused' }] } });
    const later = await (await follow(origin))(({ kind }) => kind === 'full_state');
    expect(later).toMatchObject({ extension: { timeline: [{ key: 'delivery-7', isSettled: true }] } });
  });

  it('reports outages immediately', async () => {
    const { origin, members } = await localDiscord(service().options);
    const next = await follow(origin);
    await next(({ kind }) => kind === 'full_state');
    const pressed = await post(origin, '/page/trouble', { fault: 'service_down', userId: members[0]?.id });
    expect(JSON.parse(pressed.text)).toEqual({ message: 'did service_down' });
    expect(await next(({ kind }) => kind === 'simulation')).toMatchObject({ outages: { service: true } });
    const nonsense = await post(origin, '/page/trouble', { fault: 'set_fire', userId: members[0]?.id });
    expect(nonsense.status).toBe(400);
  });

  it('contains the steps of the tour that were done', async () => {
    const { origin } = await localDiscord(service().options);
    expect(await post(origin, '/page/tour', { step: 'vote' })).toMatchObject({ status: 200 });
    expect(await post(origin, '/page/tour', { step: 'x'.repeat(51) })).toMatchObject({ status: 400 });
    expect(await (await follow(origin))(({ kind }) => kind === 'full_state')).toMatchObject({
      extension: { tours: { chosen: 'vote', done: ['vote'] } },
    });
  });

  it('says where the reason of a failed action is', async () => {
    const { origin } = await localDiscord(service().options);
    const { status, text } = await post(origin, '/page/votes', { userId: '1', kind: 'server' });
    expect(status).toBe(502);
    expect(JSON.parse(text)).toEqual({ error: 'The action failed. See the log of the sandbox.' });
  });
});
