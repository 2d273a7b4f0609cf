import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { promiseHooks } from 'node:v8';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGatewayClient } from '../../src/discord/gateway/gateway-client.ts';
import type { GuildChange } from '../../src/discord/gateway/guild-changes.ts';
import { createGlobalRateLimit } from '../../src/discord/rate-limit.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { second } from '../../src/platform/durations.ts';
import { startLocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { collectingLog, fastClock, localDiscord, until } from './bot.ts';

function connecting(to: { apiUrl: string; token: string }, clock: Clock = systemClock) {
  const { log, logged } = collectingLog([to.token]);
  let readyCalls = 0;
  const changes: GuildChange[] = [];
  const globalLimit = createGlobalRateLimit(clock);
  const client = createGatewayClient({
    token: to.token,
    apiUrl: to.apiUrl,
    clock,
    log,
    globalLimit,
    onInteraction: async () => {},
    onGuildChange: (change) => void changes.push(change),
    onReady: () => {
      readyCalls += 1;
    },
  });
  onTestFinished(() => client.stop());
  return { client, logged, globalLimit, changes, readyCalls: () => readyCalls };
}

/** The number of requests for the gateway's URL. */
const gatewayRequests = (discord: { requests: readonly { path: string }[] }) =>
  discord.requests.filter(({ path }) => path === '/gateway/bot').length;

describe('the connection to Discord', () => {
  it('becomes ready and calls onReady once, without a privileged intent', async () => {
    const discord = await localDiscord();
    const { client, readyCalls } = connecting(discord);
    expect(client.ready).toBe(false);
    client.start();
    client.start();
    await until(() => client.ready);
    expect(readyCalls()).toBe(1);
  });

  it('reports what changes in guilds, which discord.js keeps out of memory', async () => {
    const discord = await localDiscord();
    const { client, changes } = connecting(discord);
    client.start();
    await until(() => client.ready);
    const { guildId, channels, roles } = discord;
    await until(() => changes.length === 1);
    discord.faults.losePermission(channels.general);
    discord.guild.moveRole(roles.moderator, 1);
    discord.guild.setRole(discord.applicationId, roles.vip, true);
    discord.guild.setRole(discord.members[1]?.id ?? '', roles.vip, true);
    discord.guild.setGuildLocale('de');
    const ofGuild = { guildId, channelId: null };
    await until(() => changes.length >= 11);
    expect(changes.slice(0, 2)).toEqual([ofGuild, { guildId, channelId: channels.general }]);
    // Each of the other roles moved as well; the member is not the bot.
    expect(changes.slice(2)).toEqual(Array(9).fill(ofGuild));
  });

  it('is closed if it is stopped while it opens', async () => {
    const opened = Promise.withResolvers<Socket>();
    const server = createServer((_request, response) => {
      const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const session_start_limit = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 };
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ url, shards: 1, session_start_limit }));
    });
    server.on('upgrade', (_request, socket) => opened.resolve(socket as Socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
    const { client } = connecting({ apiUrl, token: 'MTE5.token.for-tests' });
    client.start();
    const socket = (await opened.promise).resume();
    onTestFinished(() => void socket.destroy());
    await client.stop();
    // Before the handshake takes so long that discord.js ends it.
    await expect.poll(() => socket.readableEnded || socket.destroyed, { timeout: 4_000 }).toBe(true);
  });

  it('does not accumulate promise reactions or listeners while it lasts', async () => {
    const discord = await localDiscord();
    const seconds = 300;
    let elapsedSeconds = 0;
    let maxListeners = 0;
    const clock: Clock = {
      ...systemClock,
      async sleep(ms, signal) {
        if (ms !== second || !client.ready || elapsedSeconds >= seconds) return systemClock.sleep(ms, signal);
        elapsedSeconds += 1;
        if (signal) maxListeners = Math.max(maxListeners, getEventListeners(signal, 'abort').length);
        await turn();
      },
    };
    const { client } = connecting(discord, clock);
    const reactions = new Map<object, number>();
    const stopCounting = promiseHooks.onInit((_promise, to) => {
      if (to !== undefined) reactions.set(to, (reactions.get(to) ?? 0) + 1);
    });
    onTestFinished(() => void stopCounting());
    client.start();
    await until(() => elapsedSeconds === seconds);
    expect(Math.max(...reactions.values())).toBeLessThan(seconds / 10);
    expect(maxListeners).toBeLessThan(5);
  });

  it('resumes after a dropped connection and calls onReady again', async () => {
    const discord = await localDiscord();
    const { client, readyCalls } = connecting(discord);
    client.start();
    await until(() => client.ready);
    discord.faults.dropGateway({ resumable: true });
    await until(() => !client.ready);
    await until(() => client.ready);
    expect(readyCalls()).toBe(2);
    expect(gatewayRequests(discord)).toBe(1);
  });

  it('connects once Discord is back if it was down at the start', async () => {
    const discord = await localDiscord();
    discord.faults.outage(true);
    const { client } = connecting(discord);
    client.start();
    await wait(1_500);
    expect(client.ready).toBe(false);
    discord.faults.outage(false);
    await until(() => client.ready, 5_000);
  });

  it('survives a long outage without frequent requests', async () => {
    const discord = await localDiscord();
    const { client } = connecting(discord, fastClock(10));
    client.start();
    await until(() => client.ready);
    discord.faults.outage(true);
    await until(() => !client.ready);
    await wait(6_000); // a minute of the client's time
    expect(gatewayRequests(discord)).toBeLessThan(20);
    discord.faults.outage(false);
    await until(() => client.ready && discord.connected, 5_000);
  }, 20_000);

  it('replaces a session whose gateway accepts connections but sends nothing', async () => {
    const discord = await localDiscord();
    const { client } = connecting(discord, fastClock(10));
    client.start();
    await until(() => client.ready);
    discord.faults.freezeGateway(true);
    discord.faults.dropGateway({ resumable: true });
    await until(() => !client.ready);
    await wait(2_000);
    expect(client.ready).toBe(false);
    discord.faults.freezeGateway(false);
    await until(() => client.ready, 5_000);
  }, 20_000);

  it('does not send frequent requests after a 429 without Retry-After', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(429, { 'Content-Type': 'text/html' }).end('slow down');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { client } = connecting({ apiUrl: `http://127.0.0.1:${port}/api`, token: 'token' });
    client.start();
    await until(() => requests > 0);
    await wait(2_000);
    expect(requests).toBeLessThan(5);
  });

  it('limits log lines about a connection that drops repeatedly', async () => {
    const discord = await localDiscord();
    const { client, logged } = connecting(discord);
    client.start();
    for (let count = 0; count < 12; count += 1) {
      await until(() => client.ready);
      discord.faults.dropGateway({ resumable: true });
      await until(() => !client.ready);
    }
    expect(logged.filter(({ level }) => level >= 40).length).toBeLessThan(5);
  }, 30_000);

  it('reconnects immediately with more shards if Discord requires them, within the identify limit', async () => {
    const discord = await localDiscord();
    const { client, logged } = connecting(discord, fastClock(10));
    // The bot joins one guild too many for a single shard after Discord has sent the recommended number.
    discord.events.once('request', () => discord.faults.requireShards(2));
    client.start();
    await until(() => logged.some(({ shards }) => shards === 2));
    expect(logged.filter(({ level }) => level === 50)).toEqual([]);
    const resharded = logged.find(({ msg }) => msg.includes('requires more shards'));
    expect(resharded).toMatchObject({ level: 40, reason: expect.stringContaining('4011') });
    // The rejected identify and those of both shards are 5 s apart.
    const identified = Date.parse(String(logged.find(({ shards }) => shards === 2)?.['time']));
    expect(identified - Date.parse(String(resharded?.['time']))).toBeGreaterThan((2 * 5 * second) / 10);
  });

  it('backs off if Discord requires more shards than it recommends', async () => {
    const discord = await localDiscord();
    const { client } = connecting(discord, fastClock(10));
    discord.faults.requireShards(2);
    let gateways = 0;
    discord.events.on('request', ({ path }) => {
      if (path !== '/gateway/bot') return;
      gateways += 1;
      // The response with the recommended number was sent before this.
      discord.faults.requireShards(gateways + 2);
    });
    client.start();
    await wait(3_000); // half a minute of the client's time
    expect(gateways).toBeGreaterThan(1);
    expect(gateways).toBeLessThan(8);
  });

  it('opens no session during a global rate limit that another request has met', async () => {
    const discord = await localDiscord();
    const { client, globalLimit } = connecting(discord, fastClock(10));
    client.start();
    await until(() => client.ready);
    globalLimit.observe({ global: true, retryAfter: 30 * second, timeToReset: 30 * second });
    discord.faults.freezeGateway(true);
    discord.faults.dropGateway({ resumable: true });
    await wait(2_000); // after 8 s of the client's time the session is replaced
    discord.faults.freezeGateway(false);
    expect(gatewayRequests(discord)).toBe(1);
    await until(() => client.ready, 5_000);
    expect(gatewayRequests(discord)).toBe(2);
  });

  it('waits for the end of a global rate limit that an earlier session has met', async () => {
    const discord = await localDiscord();
    const { client } = connecting(discord, fastClock(10));
    discord.faults.respondGlobal429(1, 20, /gateway\/bot/);
    client.start();
    await wait(1_800);
    expect(gatewayRequests(discord)).toBe(1);
    await until(() => client.ready, 5_000);
    expect(gatewayRequests(discord)).toBe(2);
  });

  it('logs a rejected token as an error with a hint, and retries rarely', async () => {
    const discord = await localDiscord();
    const { client, logged } = connecting({ apiUrl: discord.apiUrl, token: 'MTIz.wrong.token' }, fastClock(10));
    client.start();
    await until(() => logged.some(({ level }) => level === 50));
    await wait(1_500);
    expect(gatewayRequests(discord)).toBe(1);
    expect(logged.filter(({ level }) => level === 50)).toEqual([
      expect.objectContaining({ hint: expect.stringContaining('DISCORD_TOKEN') }),
    ]);
    expect(JSON.stringify(logged)).not.toContain('wrong.token');
  });

  it('logs a token that is rejected after a reconnect', async () => {
    const discord = await startLocalDiscord();
    const { client, logged } = connecting(discord);
    client.start();
    await until(() => client.ready);
    await discord.stop();
    const successor = await startLocalDiscord({ port: Number(new URL(discord.origin).port) });
    onTestFinished(() => successor.stop());
    await until(() => logged.some(({ level, hint }) => level === 50 && hint !== undefined));
    expect(client.ready).toBe(false);
  });

  it('does not reconnect after it is stopped while connecting', async () => {
    const discord = await localDiscord();
    const { client } = connecting(discord);
    client.start();
    await until(() => client.ready);
    discord.faults.outage(true);
    await until(() => !client.ready);
    await wait(300);
    await client.stop();
    discord.faults.outage(false);
    await wait(1_500);
    expect(client.ready).toBe(false);
    expect(discord.connected).toBe(false);
  });

  it('stops before it was started', async () => {
    const { client } = connecting(await localDiscord());
    await client.stop();
    expect(client.ready).toBe(false);
  });
});
