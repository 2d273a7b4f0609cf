import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { seededMembers, seededOwner, startService } from 'listing-service';
import { browser } from 'listing-service/testing/discord-browser';
import { follow } from 'local-discord/testing/page-client';
import { describe, expect, it, vi } from 'vitest';
import { timelineOf, wholeSandbox } from '../support/whole-sandbox.ts';

const mira = '318044130796109825';

describe('the owner of the guild of the sandbox', { timeout: 30_000 }, () => {
  it.each([undefined, 'none'] as const)(
    'owns both listings, and edits them after signing in (seed %s)',
    async (seed) => {
      const { discord, service, urls } = await wholeSandbox(seed ? { seed } : {});
      const [owner] = discord.members;
      expect(owner?.id).toBe(mira);
      expect((await service.listings()).map(({ ownerId }) => ownerId)).toEqual([mira, mira]);
      const visitor = browser();
      const { location } = await visitor.open(`${urls.service}/sign-in/discord?next=/dashboard`);
      const body = new URLSearchParams({ user: mira, decision: 'authorize' });
      await visitor.open((await visitor.open(location, { method: 'POST', body })).location);
      const { text } = await visitor.open(`${urls.service}/dashboard`);
      for (const name of ['Lantern Harbour', 'Quartermaster']) expect(text).toContain(name);
      expect(await visitor.open(`${urls.service}/dashboard/${discord.guildId}`)).toMatchObject({ status: 200 });
    },
  );

  it('receives the listings of a directory in which another member owned them', async () => {
    const directory = tempDir();
    const before = await startService({
      database: `sqlite:${directory}/service.db`,
      allowLoopbackTargets: true,
      seed: true,
    });
    expect((await before.listings()).map(({ ownerId }) => ownerId)).toEqual(Array(2).fill(seededOwner.userId));
    await before.stop();
    const { service } = await wholeSandbox({ directory });
    expect((await service.listings()).map(({ ownerId }) => ownerId)).toEqual([mira, mira]);
  });
});

describe('a voter who is not in the guild', { timeout: 30_000 }, () => {
  it('has a name on the page, in the timeline and on Discord', async () => {
    const sandbox = await wholeSandbox({ seed: 'none' });
    const { delivery } = timelineOf(sandbox);
    const state = await (await follow(sandbox.urls.page))(({ kind }) => kind === 'full_state');
    const strangers = new Map(
      (state['strangers'] as readonly { id: string; name: string }[]).map(({ id, name }) => [id, name]),
    );
    for (const { userId, username } of [seededOwner, ...seededMembers]) {
      const isMember = sandbox.discord.members.some(({ id }) => id === userId);
      expect(strangers.get(userId)).toBe(isMember ? undefined : username);
    }
    const { userId, username } = seededOwner;
    await sandbox.service.castVote({ kind: 'server', userId, username });
    const { title } = await delivery(({ isSettled }) => isSettled);
    expect(title).toBe(`Server vote by ${username}`);
    // The bot may have used up the rate limit of its first second.
    await vi.waitFor(async () => {
      const response = await fetch(`${sandbox.discord.apiUrl}/v10/users/${userId}`, {
        headers: { authorization: `Bot ${sandbox.discord.token}` },
      });
      expect(await response.json()).toMatchObject({ id: userId, username });
    }, 5_000);
    // A stranger is no member, and cannot act on the page.
    expect(() => sandbox.discord.guild.rejoin(userId)).toThrow('Only a user who has left can join again');
    const { general } = sandbox.discord.channels;
    expect(() => sandbox.discord.runCommand({ name: 'help', userId, channelId: general })).toThrow(
      'cannot see this channel',
    );
  });
});

describe('a vote on the page', { timeout: 30_000 }, () => {
  it.each([true, false])('is delivered only to a bot that is linked (%s)', async (linked) => {
    const sandbox = await wholeSandbox({ linked, seed: 'none' });
    const response = await fetch(`${sandbox.urls.page}/page/votes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: sandbox.urls.page },
      body: JSON.stringify({ userId: mira, kind: 'server' }),
    });
    expect(await response.json()).toMatchObject({ outcome: 'recorded', isDelivered: linked });
    const state = await (await follow(sandbox.urls.page))(({ kind }) => kind === 'full_state');
    expect(state).toMatchObject({ extension: { isLinked: linked } });
  });
});
