import { eventually } from '@tallyhook/platform/testing/eventually';
import { Routes } from 'discord-api-types/v10';
import type { LocalDiscord } from 'local-discord';
import { describe, expect, it } from 'vitest';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { voteSecret } from '../support/listings.ts';
import { localDiscord } from '../support/local-discord.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { settings } from '../support/settings.ts';
import { postVote, startApp } from '../support/start-app.ts';
import { startBalancer } from '../support/start-balancer.ts';

async function readiness(url: string, query = '') {
  const response = await fetch(`${url}/readyz${query}`);
  return { status: response.status, ...((await response.json()) as { ready: boolean; parts: object }) };
}

async function setEndpoint(discord: LocalDiscord, url: string): Promise<void> {
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  await rest.patch(Routes.currentApplication(), { interactions_endpoint_url: `${url}/interactions` });
}

describe('a process that only receives', () => {
  it('needs no token, and is ready when the database is', async () => {
    const { url } = await startApp({
      TALLYHOOK_ROLES: 'receive',
      DATABASE_URL: newSqliteUrl(),
      VOTE_WEBHOOK_SECRET: voteSecret,
    });
    const ready = { status: 200, ready: true, parts: { store: { ready: true }, settings: { ready: true } } };
    expect(await readiness(url)).toEqual(ready);
    expect(await readiness(url, '?role=receive')).toEqual({ ...ready, parts: { store: { ready: true } } });
    expect(await readiness(url, '?role=answer')).toMatchObject({ status: 503, ready: false });
    expect(await readiness(url, '?role=announce')).toMatchObject({ status: 503, ready: false });
    expect((await fetch(`${url}/readyz?role=recieve`)).status).toBe(400);
    expect(await postVote(url, '501')).toEqual({ status: 200, json: { received: true, outcome: 'recorded' } });
    expect((await fetch(`${url}/interactions`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect(await (await fetch(`${url}/metrics`)).text()).not.toMatch(/^tallyhook_gateway_connected \d/m);
  });
});

describe('processes that share the roles', () => {
  it('announce and answer what another process has received, each command once', async () => {
    const discord = await localDiscord();
    const shared = {
      ...settings(discord),
      DISCORD_PUBLIC_KEY: discord.publicKey,
      DATABASE_URL: newSqliteUrl(),
    };
    const receiver = await startApp({ ...shared, TALLYHOOK_ROLES: 'receive' });
    const announcer = await startApp({ ...shared, TALLYHOOK_ROLES: 'announce' });
    const answerers = [
      await startApp({ ...shared, TALLYHOOK_ROLES: 'answer' }),
      await startApp({ ...shared, TALLYHOOK_ROLES: 'answer' }),
    ];
    for (const { url } of [announcer, ...answerers]) expect((await postVote(url, '501')).status).toBe(404);
    const balancer = await startBalancer(() => answerers.map(({ url }) => url));
    await setEndpoint(discord, balancer.url);
    await eventually(() => expect(discord.commands().map(({ name }) => name)).toContain('credits'));
    expect(discord.connected).toBe(false);

    const [member] = discord.members;
    const userId = member?.id ?? '';
    expect((await postVote(receiver.url, userId)).status).toBe(200);
    const counts = () => answerers.map(({ url }) => balancer.requestsTo(url));
    const before = counts();
    const replies = await Promise.all(
      Array.from(
        { length: 10 },
        () => discord.runCommand({ name: 'credits', userId, channelId: discord.channels.general }).settled,
      ),
    );
    expect(new Set(replies.map(({ id }) => id)).size).toBe(10);
    expect(JSON.stringify(replies[0])).toContain('10');
    expect(counts().map((count, index) => count - (before[index] ?? 0))).toEqual([5, 5]);
    await eventually(() => expect(discord.messages(discord.channels.announcements)).toHaveLength(1));
    expect(discord.connected).toBe(false);
    for (const { lines } of [receiver, announcer, ...answerers]) {
      expect(lines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
    }
    expect(await readiness(answerers[0]?.url ?? '')).toMatchObject({ status: 200, parts: { store: { ready: true } } });
  });
});

describe('a process with the gateway', () => {
  it('stays ready to receive during an outage of Discord', async () => {
    const discord = await localDiscord();
    const database = { DATABASE_URL: newSqliteUrl() };
    const { url } = await startApp({ ...settings(discord), ...database });
    await eventually(async () => expect(await readiness(url)).toMatchObject({ status: 200 }));
    discord.faults.outage(true);
    await eventually(async () =>
      expect(await readiness(url)).toMatchObject({
        status: 503,
        parts: { store: { ready: true }, discord: { ready: false } },
      }),
    );
    expect(await readiness(url, '?role=receive')).toMatchObject({ status: 200, parts: { store: { ready: true } } });
    expect(await readiness(url, '?role=announce')).toMatchObject({ status: 200 });
    expect(await readiness(url, '?role=answer')).toMatchObject({ status: 503 });
  });

  it('reports that it receives no commands while Discord sends them to an endpoint', async () => {
    const discord = await localDiscord();
    const database = { DATABASE_URL: newSqliteUrl() };
    const overHttp = { ...settings(discord), ...database, DISCORD_PUBLIC_KEY: discord.publicKey };
    const { url } = await startApp({ ...overHttp, TALLYHOOK_ROLES: 'answer' });
    await setEndpoint(discord, url);
    const { lines } = await startApp({ ...settings(discord), ...database, TALLYHOOK_ROLES: 'answer' });
    await eventually(() =>
      expect(lines.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({
          level: 50,
          msg: 'commands may not be received',
          hint: expect.stringContaining('tallyhook register --gateway'),
        }),
      ),
    );
  });
});
