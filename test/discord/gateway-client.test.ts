import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { promiseHooks } from 'node:v8';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { freePort } from '@tallyhook/platform/testing/postgres';
import { serve } from '@tallyhook/platform/testing/serve';
import { startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createIdentifyThrottle,
  GatewayConnection,
  type IdentifyThrottle,
  identifyIntervalMs,
} from '../../src/discord/gateway/gateway-client.ts';
import type { GuildChange } from '../../src/discord/gateway/guild-changes.ts';
import { createGlobalRateLimit } from '../../src/discord/rate-limit.ts';
import { localDiscord, until } from '../support/bot.ts';

function connecting(
  to: { apiUrl: string; token: string },
  clock: Clock = systemClock,
  identifyThrottle?: IdentifyThrottle,
) {
  const { log, logged } = collectingLog([to.token]);
  let readyCalls = 0;
  const changes: GuildChange[] = [];
  const globalLimit = createGlobalRateLimit(clock);
  const client = new GatewayConnection({
    token: to.token,
    apiUrl: to.apiUrl,
    clock,
    log,
    globalLimit,
    ...(identifyThrottle && { identifyThrottle }),
    onInteraction: () => {},
    onGuildChange: (change) => void changes.push(change),
    onReady: () => {
      readyCalls += 1;
    },
  });
  onTestFinished(() => client.stop());
  return { client, logged, globalLimit, changes, readyCalls: () => readyCalls };
}

/** A client for which time passes only when it is advanced. */
function connectingByHand(to: { apiUrl: string; token: string }) {
  const clock = manualClock();
  const throttle = createIdentifyThrottle(clock, new AbortController().signal);
  let asked = 0;
  let allowed = 0;
  const connection = connecting(to, clock, {
    forSession(...session) {
      const { waitForIdentify } = throttle.forSession(...session);
      return {
        async waitForIdentify(...shard) {
          asked += 1;
          await waitForIdentify(...shard);
          allowed += 1;
        },
      };
    },
  });
  const retries = () => connection.logged.filter(({ msg }) => msg === 'Discord is unreachable; retrying');
  let seen = 0;
  return {
    ...{ ...connection, clock },
    /** How many identifies the connection has wanted to send, and how many it was allowed. */
    identifies: () => ({ asked, allowed }),
    /** Waits until the client has failed once more, and returns how long it waits before the next attempt (ms). */
    async nextRetry(): Promise<number> {
      seen += 1;
      await until(() => retries().length === seen);
      return Number(retries().at(-1)?.['retryInMs']);
    },
  };
}

/** Resolves after a request, before which everything has arrived that was sent over other connections. */
const arrival = (url: string) => fetch(url);

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

  it('reports what changes in guilds', async () => {
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
    // Its timeouts do not end, so it stops when it has closed everything.
    const { client } = connectingByHand({ apiUrl, token: 'MTE5.token.for-tests' });
    client.start();
    const socket = (await opened.promise).resume();
    onTestFinished(() => void socket.destroy());
    await client.stop();
    await arrival(apiUrl);
    expect(socket.readableEnded || socket.destroyed).toBe(true);
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

  it('survives a long outage without frequent requests', async () => {
    const discord = await localDiscord();
    const { client, clock, nextRetry } = connectingByHand(discord);
    client.start();
    await until(() => client.ready);
    discord.faults.outage(true);
    await until(() => !client.ready);
    const end = clock.monotonic() + minute;
    await clock.advance(9 * second);
    while (clock.monotonic() < end) await clock.advance(await nextRetry());
    await nextRetry();
    expect(gatewayRequests(discord)).toBeLessThan(20);
    discord.faults.outage(false);
    await clock.advance(4 * second);
    await until(() => client.ready && discord.connected);
  });

  it('replaces a session whose gateway accepts connections but sends nothing', async () => {
    const discord = await localDiscord();
    const { client, clock, nextRetry } = connectingByHand(discord);
    client.start();
    await until(() => client.ready);
    discord.faults.freezeGateway(true);
    discord.faults.dropGateway({ resumable: true });
    await until(() => !client.ready);
    await clock.advance(9 * second);
    await clock.advance(await nextRetry());
    await until(() => gatewayRequests(discord) === 2);
    await clock.advance(9 * second);
    const retryInMs = await nextRetry();
    expect(client.ready).toBe(false);
    discord.faults.freezeGateway(false);
    await clock.advance(retryInMs);
    await until(() => client.ready);
    expect(gatewayRequests(discord)).toBe(3);
  });

  it('does not send frequent requests after a 429 without Retry-After', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests += 1;
      response.writeHead(429, { 'Content-Type': 'text/html' }).end('slow down');
    });
    const { client, clock, nextRetry } = connectingByHand({ apiUrl: `${url}/api`, token: 'token' });
    client.start();
    for (const attempts of [1, 2, 3]) {
      const retryInMs = await nextRetry();
      expect(retryInMs).toBeGreaterThanOrEqual(5 * second);
      expect(requests).toBe(attempts);
      await clock.advance(retryInMs);
    }
  });

  it('limits log lines about a connection that drops repeatedly', async () => {
    const discord = await localDiscord();
    const { client, logged, clock } = connectingByHand(discord);
    client.start();
    for (let count = 0; count < 5; count += 1) {
      await until(() => client.ready);
      discord.faults.dropGateway({ resumable: true });
      await until(() => !client.ready);
    }
    await until(() => client.ready);
    expect(logged.filter(({ level }) => level >= 40).length).toBeLessThan(5);
    await clock.advance(minute);
    // Of five losses and six connections, three lines were logged.
    expect(logged.at(-1)).toMatchObject({ level: 30, msg: 'connected to Discord', suppressed: 8 });
  });

  it('reconnects immediately with more shards if Discord requires them, within the identify limit', async () => {
    const discord = await localDiscord();
    const { client, logged, clock, identifies } = connectingByHand(discord);
    // The bot joins one guild too many for a single shard after Discord has sent the recommended number.
    discord.events.once('request', () => discord.faults.requireShards(2));
    client.start();
    const resharded = () => logged.find(({ msg }) => msg.includes('requires more shards'));
    await until(() => resharded() !== undefined);
    expect(resharded()).toMatchObject({ level: 40, reason: expect.stringContaining('4011') });
    await clock.advance(0);
    // The rejected identify and those of both shards are 5 s apart.
    for (const allowed of [1, 2]) {
      await until(() => identifies().asked > allowed);
      await clock.advance(identifyIntervalMs - 1);
      expect(identifies().allowed).toBe(allowed);
      await clock.advance(1);
      await until(() => discord.identifies.length === allowed);
      await arrival(discord.apiUrl);
    }
    const isConnected = () => logged.some(({ shards }) => shards === 2);
    // The last shard may have begun to wait after the clock was advanced for it.
    while (!isConnected()) await until(isConnected, second).catch(() => clock.advance(identifyIntervalMs));
    expect(logged.filter(({ level }) => level === 50)).toEqual([]);
  });

  it('backs off if Discord requires more shards than it recommends', async () => {
    const discord = await localDiscord();
    const { client, logged, clock, nextRetry, identifies } = connectingByHand(discord);
    discord.events.on('request', ({ path }) => {
      // The response with the recommended number was sent before this.
      if (path === '/gateway/bot') discord.faults.requireShards(gatewayRequests(discord) + 1);
    });
    client.start();
    // The second connection is immediate, but waits for its identify.
    await until(() => logged.some(({ msg }) => msg.includes('requires more shards')));
    await clock.advance(0);
    await until(() => identifies().asked > 1);
    await clock.advance(identifyIntervalMs);
    const delays: number[] = [];
    for (const requests of [2, 3, 4]) {
      delays.push(await nextRetry());
      expect(gatewayRequests(discord)).toBe(requests);
      await clock.advance(identifyIntervalMs);
    }
    expect(delays).toEqual([875, 1_750, 3_500]);
  });

  it('opens no session during a global rate limit that another request has met', async () => {
    const discord = await localDiscord();
    const { client, globalLimit, clock, nextRetry } = connectingByHand(discord);
    client.start();
    await until(() => client.ready);
    globalLimit.observe({ global: true, retryAfter: 30 * second, timeToReset: 30 * second });
    discord.faults.freezeGateway(true);
    discord.faults.dropGateway({ resumable: true });
    await until(() => !client.ready);
    await clock.advance(9 * second);
    expect(await nextRetry()).toBe(21 * second);
    discord.faults.freezeGateway(false);
    await clock.advance(20 * second);
    expect(gatewayRequests(discord)).toBe(1);
    await clock.advance(second);
    await until(() => client.ready);
    expect(gatewayRequests(discord)).toBe(2);
  });

  it('waits for the end of a global rate limit that an earlier session has met', async () => {
    const discord = await localDiscord();
    const { client, clock, nextRetry } = connectingByHand(discord);
    discord.faults.respondGlobal429(1, 20, /gateway\/bot/);
    client.start();
    expect(await nextRetry()).toBeGreaterThanOrEqual(20 * second);
    expect(gatewayRequests(discord)).toBe(1);
    await clock.advance(21 * second);
    await until(() => client.ready);
    expect(gatewayRequests(discord)).toBe(2);
  });

  it('logs a rejected token as an error with a hint, and retries rarely', async () => {
    const discord = await localDiscord();
    const { client, logged, clock } = connectingByHand({ apiUrl: discord.apiUrl, token: 'MTIz.wrong.token' });
    client.start();
    const errors = () => logged.filter(({ level }) => level === 50);
    for (const attempts of [1, 2]) {
      await until(() => errors().length === attempts);
      expect(gatewayRequests(discord)).toBe(attempts);
      await clock.advance(minute - second);
      // It still waits.
      expect(clock.sleepers()).toBe(1);
      await clock.advance(second);
    }
    for (const error of errors()) expect(error['hint']).toContain('bot token');
    expect(JSON.stringify(logged)).not.toContain('wrong.token');
  });

  it('logs a token that is rejected after a reconnect', async () => {
    const port = await freePort();
    const discord = await startLocalDiscord({ port });
    const { client, logged } = connecting(discord);
    client.start();
    await until(() => client.ready);
    await discord.stop();
    const successor = await startLocalDiscord({ port });
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
    await client.stop();
    discord.faults.outage(false);
    // Another one connects and reconnects, which takes longer.
    const { client: other } = connecting(discord);
    other.start();
    await until(() => other.ready);
    discord.faults.dropGateway({ resumable: true });
    await until(() => !other.ready);
    await until(() => other.ready);
    expect(client.ready).toBe(false);
    expect(discord.identifies).toHaveLength(2);
    expect(discord.dispatches.filter(({ t: name }) => name === 'RESUMED')).toHaveLength(1);
  });

  it('stops before it was started', async () => {
    const { client } = connecting(await localDiscord());
    await client.stop();
    expect(client.ready).toBe(false);
  });
});
