import { text } from 'node:stream/consumers';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import type { LocalDiscord } from 'local-discord';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openApp } from '../../../src/app/app.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { ServerCounts } from '../../../src/features/server-counts/parts.ts';
import { memoryBudgetStore } from '../../../src/lookup/budget.ts';
import { findServerCountApi } from '../../../src/lookup/sites/site-apis.ts';
import { sites } from '../../../src/webhook/sites/index.ts';
import { communityIdsOf } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { json, type ResponseHandler, startFakeService } from '../../support/fake-service.ts';
import { environmentWith } from '../../support/listings-file.ts';
import { localDiscord } from '../../support/local-discord.ts';

const key = 'key-of+the/site==';
/** A token of version 0 of top.gg. */
const oldKey = `e30.${Buffer.from('{"bot":true}').toString('base64url')}.signature`;
const id = '716390085896962058';
const topgg = { name: 'topgg', kind: 'bot', id, site: 'topgg', siteKey: key, voteSecrets: ['whs_secret'] };
const on = (site: string, more: object = {}) => ({
  ...{ name: site, kind: 'bot', id, site, siteKey: key, voteSecrets: ['a long secret'] },
  ...more,
});

interface Received {
  readonly request: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** The APIs of all sites, and a Discord that recommends three shards. */
async function world() {
  const service = await startFakeService();
  onTestFinished(() => service.close());
  const received: Received[] = [];
  let respond: ResponseHandler = json(200, { success: true });
  service.respondWith((response, request) => {
    const { method, url, headers } = request;
    // Other requests look for lost votes.
    if (method === 'GET') return json(200, { data: [], upvotes: [], total: 0 })(response, request);
    void text(request).then((body) => {
      const content: unknown = body === '' ? null : JSON.parse(body);
      received.push({ request: `${method} ${url}`, authorization: headers.authorization, body: content });
      respond(response, request);
    });
  });
  const discord = await localDiscord();
  discord.faults.requireShards(3);
  return {
    discord,
    origin: service.origin,
    received,
    respondWith(next: ResponseHandler) {
      respond = next;
    },
  };
}

interface Options {
  readonly discord: LocalDiscord;
  readonly origin: string;
  readonly listings: readonly object[];
  readonly clock?: Clock;
  readonly environment?: Record<string, string>;
}

/** A process that announces, with the setting. */
async function start(databaseUrl: string, { discord, origin, listings, clock = systemClock, environment }: Options) {
  const config = loadConfig({
    ...environmentWith(listings),
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, DISCORD_GUILD_ID: discord.guildId },
    ...{ LOOKUP_BASE_URL: '', DATABASE_URL: databaseUrl, CACHE_URL: 'memory:', PORT: '0' },
    ...{ TALLYHOOK_ROLES: 'announce', POST_SERVER_COUNT: 'on', SITE_API_URL: origin, ...environment },
  });
  const lines: string[] = [];
  // Unlike in the program, nothing else hides the keys.
  const log = createLog({ level: 'debug', secrets: [], destination: { write: (line) => void lines.push(line) } });
  let rounds = 0;
  const sleep: Clock['sleep'] = (ms, signal) => {
    // Nothing else waits for about half an hour.
    if (ms > 20 * minute && ms <= 30 * minute) rounds += 1;
    return clock.sleep(ms, signal);
  };
  const app = await openApp(config, { clock: { ...clock, sleep }, stopwatch: systemClock, log });
  onTestFinished(() => app.stop());
  await app.start();
  return {
    app,
    lines,
    /** Waits for the end of so many rounds, after which it waits for half an hour. */
    async ended(count: number) {
      await expect.poll(() => rounds, { timeout: 20_000 }).toBe(count);
    },
  };
}

describeOnEveryDatabase('the server count', (newUrl) => {
  it('is sent to each site by its own request, with the key in the header alone', async () => {
    const { discord, origin, received } = await world();
    const both = { server_count: 1, shard_count: 3 };
    const sent = (request: string, body: unknown, authorization = key) => ({ request, authorization, body });
    const requests = [
      [topgg, sent('PATCH /api/v1/projects/@me/metrics', both, `Bearer ${key}`)],
      [{ ...topgg, name: 'topgg-0', siteKey: oldKey }, sent(`POST /api/bots/${id}/stats`, both, oldKey)],
      [on('discordbotlist'), sent(`POST /api/v1/bots/${id}/stats`, { guilds: 1 })],
      [on('discordlistgg'), sent(`PUT /v0/bots/${id}/guilds?count=1`, null, `Bearer ${key}`)],
      [on('discords'), sent(`POST /bots/api/bot/${id}/setservers`, { server_count: 1 })],
      [on('discordplace'), sent(`PATCH /bots/${id}/stats`, { server_count: 1 })],
      [on('infinity'), sent('POST /bots/stats', { servers: 1, shards: 3 })],
      [on('botlistme'), sent(`POST /api/v1/bots/${id}/stats`, both)],
      [on('voidbots'), sent(`POST /bot/stats/${id}`, both)],
      [
        on('topdiscordlist', { slug: 'the lamp' }),
        sent('POST /api/bots/the%20lamp/stats', { serverCount: 1, shardCount: 3 }, `Bot ${key}`),
      ],
    ] as const;
    const taking = sites.filter((site) => findServerCountApi(site.id, key) !== null);
    expect(new Set(requests.map(([{ site }]) => site))).toEqual(new Set(taking.map((site) => site.id)));
    const listings = [
      ...requests.map(([listing]) => listing),
      // These take none, or lack what the request needs.
      ...[on('botradar'), on('topdiscordlist', { name: 'no-slug' }), on('discords', { name: 'no-id', id: undefined })],
      on('discordplace', { name: 'no-key', siteKey: undefined }),
      { ...topgg, name: 'server', kind: 'server' },
    ];
    const { app, lines, ended } = await start(newUrl(), { discord, origin, listings });
    await ended(1);
    expect(received).toEqual(requests.map(([, request]) => request));

    // discord.place revokes the key of who sends it more than once in six hours.
    const posted = await app.postServerCount();
    expect(posted).toMatchObject({ servers: 1, shards: 3 });
    const again = requests.map(([{ name }]) => name).filter((name) => name !== 'discordplace');
    expect(posted.sent.map(({ listing }) => listing)).toEqual(again);
    expect(posted.failed).toMatchObject([
      { listing: 'discordplace', site: 'discordplace', code: 'lookup_over_budget' },
    ]);
    expect(received).toHaveLength(requests.length + again.length);
    for (const secret of [key, oldKey]) expect(lines.join('')).not.toContain(secret);
    const other = lines.filter((line) => line.includes('"listing":"discords"') && line.includes('another id'));
    expect(other).toHaveLength(1);
  });

  it('is sent by one of several processes, once in half an hour, also over restarts', async () => {
    const { discord, origin, received } = await world();
    const url = newUrl();
    let offset = 0;
    const clock = { ...systemClock, now: () => Date.now() + offset };
    const startTwo = async () => {
      const options = { discord, origin, listings: [topgg], clock };
      return Promise.all([start(url, options), start(url, options)]);
    };
    const seen = async (apps: Awaited<ReturnType<typeof startTwo>>) => {
      await Promise.all(apps.map(({ ended }) => ended(1)));
      await Promise.all(apps.map(({ app }) => app.stop()));
      return received.length;
    };
    expect(await seen(await startTwo())).toBe(1);
    expect(await seen(await startTwo())).toBe(1);
    offset = 30 * minute;
    expect(await seen(await startTwo())).toBe(2);
  });

  it('is sent every half hour; a rejected key is one warning, another failure at most one an hour', async () => {
    const { discord, origin, received, respondWith } = await world();
    const clock = manualClock(Date.now());
    const listings = [topgg, on('voidbots')];
    const { lines, ended } = await start(newUrl(), { discord, origin, listings, clock });
    const warnings = () => lines.filter((line) => /"level":40.*the server count was/.test(line));
    let turns = 1;
    const turn = async (respond: ResponseHandler) => {
      respondWith(respond);
      turns += 1;
      await clock.advance(30 * minute);
      await ended(turns);
      expect(received).toHaveLength(2 * turns);
      return warnings().length;
    };
    await ended(1);
    expect(received).toHaveLength(2);
    expect(warnings()).toEqual([]);
    const rejecting = json(401, { error: `no such key: ${key}` });
    expect(await turn(rejecting)).toBe(2);
    expect(await turn(rejecting)).toBe(2);
    expect(await turn(json(200, {}))).toBe(2);
    expect(await turn(json(403, {}))).toBe(4);
    const failing = json(500, { error: key });
    expect(await turn(failing)).toBe(6);
    expect(await turn(failing)).toBe(6);
    expect(await turn(failing)).toBe(8);
    expect(await turn(json(200, {}))).toBe(8);
    expect(lines.join('')).not.toContain(key);
    expect(lines.join('')).not.toContain('"level":50');
  });

  it('is not sent without the setting, except when it is asked for', async () => {
    const { discord, origin, received } = await world();
    const options = { discord, origin, listings: [topgg], environment: { POST_SERVER_COUNT: 'off' } };
    const { app } = await start(newUrl(), options);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(received).toEqual([]);
    expect(await app.postServerCount()).toMatchObject({ sent: [{ listing: 'topgg', site: 'topgg' }], failed: [] });
    expect(received).toHaveLength(1);
    await app.stop();
    await expect(app.postServerCount()).rejects.toMatchObject({ code: 'already_stopped' });
  });
});

it('the server count is not sent to a bot of others that was linked in Discord', async () => {
  const { discord, origin, received } = await world();
  const { listings } = loadConfig(environmentWith([{ ...topgg, id: discord.applicationId }, on('voidbots')]));
  const linked = listings.map((listing) => ({ ...listing, linked: true as const }));
  const rest = createDiscordRest(discord);
  const counts = new ServerCounts({
    config: {
      discord: { token: discord.token, apiUrl: discord.apiUrl, guildId: null, publicKey: null },
      siteApiUrl: origin,
    },
    ...{
      directory: createDirectory(linked, communityIdsOf(linked)),
      rest,
      store: { budgetStore: memoryBudgetStore() },
    },
    ...{ clock: systemClock, log: createLog({ level: 'silent', secrets: [] }) },
  });
  expect(await counts.post()).toMatchObject({ sent: [{ listing: 'topgg' }], failed: [] });
  expect(received).toHaveLength(1);
});
