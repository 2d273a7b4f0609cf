import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { promiseHooks } from 'node:v8';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGatewayClient } from '../../src/discord/gateway-client.ts';
import { createGlobalRateLimit } from '../../src/discord/rate-limit.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { second } from '../../src/platform/durations.ts';
import { startLocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { collectingLog, fastClock, localDiscord, until } from './bot.ts';

function connecting(to: { apiUrl: string; token: string }, clock: Clock = systemClock) {
  const { log, said } = collectingLog([to.token]);
  let readied = 0;
  const globalLimit = createGlobalRateLimit(clock);
  const client = createGatewayClient({
    token: to.token,
    apiUrl: to.apiUrl,
    clock,
    log,
    globalLimit,
    onInteraction: async () => {},
    onReady: () => {
      readied += 1;
    },
  });
  onTestFinished(() => client.stop());
  return { client, said, globalLimit, readied: () => readied };
}

/** Requests by which a client finds the gateway. */
const knocks = (discord: { requests: readonly { path: string }[] }) =>
  discord.requests.filter(({ path }) => path === '/gateway/bot').length;

describe('the connection to Discord', () => {
  it('becomes ready, says so once, and needs no intents', async () => {
    const discord = await localDiscord();
    const { client, readied } = connecting(discord);
    expect(client.ready).toBe(false);
    client.start();
    client.start();
    await until(() => client.ready);
    expect(readied()).toBe(1);
    expect(discord.dispatches.map(({ t }) => t)).not.toContain('GUILD_CREATE');
  });

  it('is remembered by nothing that outlasts it for each second that it holds', async () => {
    const discord = await localDiscord();
    const seconds = 300;
    let passed = 0;
    let ears = 0;
    const clock: Clock = {
      ...systemClock,
      async sleep(ms, signal) {
        if (ms !== second || !client.ready || passed >= seconds) return systemClock.sleep(ms, signal);
        passed += 1;
        if (signal) ears = Math.max(ears, getEventListeners(signal, 'abort').length);
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
    await until(() => passed === seconds);
    expect(Math.max(...reactions.values())).toBeLessThan(seconds / 10);
    expect(ears).toBeLessThan(5);
  });

  it('resumes after a dropped connection and says that it is ready again', async () => {
    const discord = await localDiscord();
    const { client, readied } = connecting(discord);
    client.start();
    await until(() => client.ready);
    discord.faults.dropGateway({ resumable: true });
    await until(() => !client.ready);
    await until(() => client.ready);
    expect(readied()).toBe(2);
    expect(knocks(discord)).toBe(1);
  });

  it('comes up by itself when Discord was down at the start', async () => {
    const discord = await localDiscord();
    discord.faults.outage(true);
    const { client } = connecting(discord);
    client.start();
    await wait(1_500);
    expect(client.ready).toBe(false);
    discord.faults.outage(false);
    await until(() => client.ready, 5_000);
  });

  it('survives a long outage in mid-flight without knocking hot', async () => {
    const discord = await localDiscord();
    const { client } = connecting(discord, fastClock(10));
    client.start();
    await until(() => client.ready);
    discord.faults.outage(true);
    await until(() => !client.ready);
    await wait(6_000); // a minute of the client's time
    expect(knocks(discord)).toBeLessThan(20);
    discord.faults.outage(false);
    await until(() => client.ready && discord.connected, 5_000);
  }, 20_000);

  it('gives up on a gateway that accepts it and says nothing, and finds the one that speaks', async () => {
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

  it('does not knock hot at what answers 429 and not for how long', async () => {
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

  it('logs a few lines about a gateway that flaps', async () => {
    const discord = await localDiscord();
    const { client, said } = connecting(discord);
    client.start();
    for (let count = 0; count < 12; count += 1) {
      await until(() => client.ready);
      discord.faults.dropGateway({ resumable: true });
      await until(() => !client.ready);
    }
    expect(said.filter(({ level }) => level >= 40).length).toBeLessThan(5);
  }, 30_000);

  it('reconnects at once with more shards where Discord requires them, no faster than it may identify', async () => {
    const discord = await localDiscord();
    const { client, said } = connecting(discord, fastClock(10));
    // The bot joins the guild that is one too many for a single shard after the number was recommended.
    discord.events.once('request', () => discord.faults.requireShards(2));
    client.start();
    await until(() => said.some(({ shards }) => shards === 2));
    expect(said.filter(({ level }) => level === 50)).toEqual([]);
    const resharded = said.find(({ msg }) => msg.includes('requires more shards'));
    expect(resharded).toMatchObject({ level: 40, reason: expect.stringContaining('4011') });
    // The identify that was refused, and the one of each shard, are 5 s apart.
    const identified = Date.parse(String(said.find(({ shards }) => shards === 2)?.['time']));
    expect(identified - Date.parse(String(resharded?.['time']))).toBeGreaterThan((2 * 5 * second) / 10);
  });

  it('backs off where Discord requires more shards than it recommends', async () => {
    const discord = await localDiscord();
    const { client } = connecting(discord, fastClock(10));
    discord.faults.requireShards(2);
    let gateways = 0;
    discord.events.on('request', ({ path }) => {
      if (path !== '/gateway/bot') return;
      gateways += 1;
      // What is recommended has been answered already.
      discord.faults.requireShards(gateways + 2);
    });
    client.start();
    await wait(3_000); // half a minute of the client's time
    expect(gateways).toBeGreaterThan(1);
    expect(gateways).toBeLessThan(8);
  });

  it('opens no session while a global rate limit is running that another request has met', async () => {
    const discord = await localDiscord();
    const { client, globalLimit } = connecting(discord, fastClock(10));
    client.start();
    await until(() => client.ready);
    globalLimit.observe({ global: true, retryAfter: 30 * second, timeToReset: 30 * second });
    discord.faults.freezeGateway(true);
    discord.faults.dropGateway({ resumable: true });
    await wait(2_000); // after 8 s of the client's time the session is given up
    discord.faults.freezeGateway(false);
    expect(knocks(discord)).toBe(1);
    await until(() => client.ready, 5_000);
    expect(knocks(discord)).toBe(2);
  });

  it('waits for the end of a global rate limit, whichever session has met it', async () => {
    const discord = await localDiscord();
    const { client } = connecting(discord, fastClock(10));
    discord.faults.respondGlobal429(1, 20, /gateway\/bot/);
    client.start();
    await wait(1_800);
    expect(knocks(discord)).toBe(1);
    await until(() => client.ready, 5_000);
    expect(knocks(discord)).toBe(2);
  });

  it('says loudly that a token is refused, with the cure, and tries rarely', async () => {
    const discord = await localDiscord();
    const { client, said } = connecting({ apiUrl: discord.apiUrl, token: 'MTIz.wrong.token' }, fastClock(10));
    client.start();
    await until(() => said.some(({ level }) => level === 50));
    await wait(1_500);
    expect(knocks(discord)).toBe(1);
    expect(said.filter(({ level }) => level === 50)).toEqual([
      expect.objectContaining({ hint: expect.stringContaining('DISCORD_TOKEN') }),
    ]);
    expect(JSON.stringify(said)).not.toContain('wrong.token');
  });

  it('notices that the token is refused in mid-flight', async () => {
    const discord = await startLocalDiscord();
    const { client, said } = connecting(discord);
    client.start();
    await until(() => client.ready);
    await discord.stop();
    const successor = await startLocalDiscord({ port: Number(new URL(discord.origin).port) });
    onTestFinished(() => successor.stop());
    await until(() => said.some(({ level, hint }) => level === 50 && hint !== undefined));
    expect(client.ready).toBe(false);
  });

  it('closes for good, also in the midst of connecting', async () => {
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

  it('stops while nothing has begun', async () => {
    const { client } = connecting(await localDiscord());
    await client.stop();
    expect(client.ready).toBe(false);
  });
});
