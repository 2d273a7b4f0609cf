import { systemClock } from '@tallyhook/platform/clock';
import { day, hour } from '@tallyhook/platform/durations';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openApp } from '../../../src/app/app.ts';
import { noCommunity } from '../../../src/core/ledger/account.ts';
import { directMessageKind, isOf, type TypedMessage } from '../../../src/core/outbox/effect-kind.ts';
import type { QueueName } from '../../../src/core/outbox/queue.ts';
import { prepareCommunities } from '../../../src/features/communities/community-ids.ts';
import { createDepartures } from '../../../src/features/communities/departures.ts';
import { createDirectory, createListingTargets } from '../../../src/features/communities/directory.ts';
import type { DepartureNotice } from '../../../src/features/communities/feature.ts';
import { knownId } from '../../../src/features/communities/listings.ts';
import { createSettings } from '../../../src/features/settings/in-effect.ts';
import { sign } from '../../../src/webhook/signature.ts';
import { addCommunity, communityIdsOf } from '../../support/communities.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { directMessageQueue } from '../../support/queues.ts';
import { openLedger } from '../../support/voting.ts';

const [hosted, other, operators] = ['1', '2', '3'];

async function start() {
  const clock = manualClock();
  const store = await openLedger(newSqliteUrl(), clock);
  for (const guildId of [hosted, other, operators]) {
    const values = [{ listing: '', path: 'timeZone', after: { value: '"UTC"', sealed: null } }];
    const change = {
      ...{ guildId, authorId: '7', interactionId: guildId, at: clock.now(), basis: null, undoes: null, values },
    };
    await store.settings.save(change);
  }
  const communityIds = await prepareCommunities(store.communityIds, []);
  await communityIds.add([hosted]);
  const hostedId = knownId(communityIds.of, hosted);
  const discord = { guilds: new Set([hosted, other]), isDown: false, confirms: true };
  let applied = 0;
  const nudged: string[] = [];
  const { log, logged } = collectingLog();
  const context = {
    ...{ store, clock, log, nudge: (queues: readonly QueueName[]) => void nudged.push(...queues) },
    directory: {
      ofGuild: (guildId: string) => ({ id: communityIds.of(guildId) ?? noCommunity, named: [{ name: 'listing' }] }),
    },
    settings: {
      isOperators: (guildId: string) => guildId === operators,
      async refresh() {
        applied += 1;
      },
    },
  };
  async function listGuilds() {
    if (discord.isDown) throw new Error('down');
    return discord.guilds;
  }
  const departures = createDepartures(context, listGuilds, async () => !discord.confirms);
  const states = async () =>
    Object.fromEntries((await store.communities.list()).map(({ guildId, parkedAt }) => [guildId, parkedAt !== null]));
  const sent: (TypedMessage & DepartureNotice)[] = [];
  /** All messages so far. */
  async function messages() {
    const [claimed] = await store.outbox.claim(directMessageQueue('7', hostedId), clock.now(), clock.now() + 1, 1);
    if (claimed === undefined || !isOf(directMessageKind, claimed)) return sent;
    await store.outbox.done([claimed], clock.now());
    sent.push(claimed.content.message as (typeof sent)[number]);
    return messages();
  }
  return { clock, store, discord, departures, logged, states, messages, nudged, hostedId, applied: () => applied };
}

it('parks a community that two checks and Discord say was left, and never one of the operator', async () => {
  const { clock, store, discord, departures, states, applied } = await start();
  discord.guilds = new Set([other]);
  await departures.check();
  await departures.check();
  expect(await states()).toEqual({ [hosted]: false, [other]: false, [operators]: false });
  await clock.advance(hour);
  discord.isDown = true;
  await expect(departures.check()).rejects.toThrow('down');
  discord.isDown = false;
  discord.confirms = false;
  await departures.check();
  expect(applied()).toBe(0);
  discord.confirms = true;
  const { version } = await store.settings.state();
  await departures.check();
  expect(await states()).toEqual({ [hosted]: true, [other]: false, [operators]: false });
  expect(applied()).toBe(1);
  expect(await store.settings.changedAfter(version)).toMatchObject([{ guildId: hosted }]);
});

it('starts to count again after the bot was seen, and uses the settings again when it is added', async () => {
  const { clock, store, discord, departures, states } = await start();
  const leave = async () => {
    discord.guilds = new Set([other]);
    await departures.check();
  };
  const join = async () => {
    discord.guilds = new Set([hosted, other]);
    await departures.check();
  };
  await leave();
  await join();
  await clock.advance(hour);
  await leave();
  expect(await states()).toMatchObject({ [hosted]: false });
  await clock.advance(hour);
  await leave();
  expect(await states()).toMatchObject({ [hosted]: true });
  await clock.advance(29 * day);
  await join();
  expect(await states()).toMatchObject({ [hosted]: false });
  expect((await store.settings.communities([hosted]))[0]?.settings).toHaveLength(1);
});

it('ends the receiving of votes a check before it deletes a community, and deletes none whose bot has returned', async () => {
  const { clock, store, discord, departures } = await start();
  const values = [{ listing: 'a', path: 'voteSecrets', after: { value: '1', sealed: 'v1.key.text' } }];
  const change = { authorId: '7', at: clock.now(), basis: null, undoes: null, values };
  for (const guildId of [hosted, other])
    await store.settings.save({ ...change, guildId, interactionId: `b${guildId}` });
  const paths = async () =>
    (await store.settings.communities([hosted, other])).map(({ settings }) => settings.map(({ path }) => path));
  discord.guilds = new Set();
  await departures.check();
  await clock.advance(hour);
  await departures.check();
  await clock.advance(30 * day);
  discord.guilds = new Set([other]);
  const { version } = await store.settings.state();
  await departures.check();
  expect(await paths()).toEqual([['timeZone'], ['timeZone', 'voteSecrets']]);
  expect(await store.settings.changedAfter(version)).toHaveLength(2);
  await departures.check();
  expect(await paths()).toEqual([[], ['timeZone', 'voteSecrets']]);
});

it('gives notice when it parks a community, 7 days and 1 day before the deletion, each once', async () => {
  const { clock, discord, departures, logged, messages, nudged, hostedId } = await start();
  discord.guilds = new Set([other]);
  await departures.check();
  await clock.advance(hour);
  expect(await messages()).toEqual([]);
  await Promise.all([departures.check(), departures.check()]);
  const parkedAt = clock.now();
  const message = { type: 'departure', guildId: hosted, listing: 'listing', parkedAt, deletedAt: parkedAt + 30 * day };
  expect(await messages()).toEqual([{ ...message, notices: 0 }]);
  const counts = [];
  for (const days of [22, 1, 1, 4, 1, 0]) {
    await clock.advance(days * day);
    await departures.check();
    counts.push(logged.filter(({ msg }) => msg.includes('will be deleted soon')).length);
  }
  expect(counts).toEqual([0, 1, 1, 1, 2, 2]);
  expect(await messages()).toEqual([0, 1, 2].map((notices) => ({ ...message, notices })));
  expect(nudged).toEqual(Array(3).fill(directMessageQueue('7', hostedId)));
});

it('sends a notice only while the bot is away, and only the newest one', async () => {
  const { clock, discord, departures, messages } = await start();
  discord.guilds = new Set([other]);
  await departures.check();
  await clock.advance(hour);
  await departures.check();
  const [first] = await messages();
  if (first?.type !== 'departure') throw new Error('no notice');
  const wanted = (isMember = false) => {
    discord.confirms = !isMember;
    return departures.isNoticeWanted(first);
  };
  expect([await wanted(true), await wanted()]).toEqual([false, true]);
  await clock.advance(24 * day);
  await departures.check();
  expect(await wanted()).toBe(false);
  discord.guilds.add(hosted);
  await departures.check();
  expect(await wanted()).toBe(false);
});

it('gives no notice to the operator, nor of a community that the operator has parked', async () => {
  const { clock, store, discord, departures, messages, logged } = await start();
  await store.communities.setParked(hosted, { at: clock.now(), by: 'operator' });
  await clock.advance(29 * day);
  await departures.check();
  expect(JSON.stringify(logged)).toContain('will be deleted soon');
  expect(await messages()).toEqual([]);
  const values = [{ listing: '', path: 'timeZone', after: { value: '"Europe/Rome"', sealed: null } }];
  const change = { guildId: other, authorId: 'tallyhook', interactionId: 'import', at: clock.now(), values };
  await store.settings.save({ ...change, basis: null, undoes: null });
  discord.guilds = new Set();
  await departures.check();
  await clock.advance(hour);
  await departures.check();
  expect(await store.outbox.sizes()).toEqual({ waiting: 0, buried: 0 });
});

const waitOptions = { timeout: 30_000, interval: 50 };
/** Another community, which has removed the bot before. */
const leftGuildId = '770000000000000001';
const voteSecret = 'vote-secret-of-the-community';

async function startApp() {
  const discord = await localDiscord();
  const { guildId } = discord;
  const directory = tempDir();
  const config = loadConfig({
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1',
    SETTINGS_KEY: 'ab'.repeat(32),
    DATABASE_URL: newSqliteUrl(`${directory}/tally.db`),
    CACHE_URL: 'memory:',
    PORT: '0',
  });
  const { log, logged } = collectingLog();
  const clock = createOffsetClock();
  const store = await openLedger(config.databaseUrl, systemClock);
  const { setup } = createSettings(config, {
    ...{ store: store.settings, encryption: createEncryption(config.encryption) },
    ...{ directory: createDirectory([], communityIdsOf([])), lookups: { prepare: () => () => {} } },
    targets: createListingTargets(() => undefined),
    ...{ redact: null, onSaved: () => {}, clock, log },
    addCommunities: async () => {},
  });
  const author = (interactionId: string) => ({ guildId, authorId: discord.members[0]?.id ?? '', interactionId });
  const target = { kind: 'server', targetId: guildId, lookupKey: 'lookup-key-1' } as const;
  const linked = await setup.link({ ...author('1'), ...target, voteSecret });
  if (linked.status !== 'linked') throw new Error(JSON.stringify(linked));
  const { name } = linked.listing;
  const values = { announceChannelId: discord.channels.announcements };
  const changes = Object.entries(values).map(([path, value]) => ({ listing: name, path: path as never, value }));
  expect(await setup.save({ ...author('2'), basis: null, changes })).toMatchObject({ status: 'saved' });
  const timeZone = [{ listing: '', path: 'timeZone', after: { value: '"UTC"', sealed: null } }];
  const change = { ...author('3'), guildId: leftGuildId, at: clock.now(), basis: null, undoes: null, values: timeZone };
  await store.settings.save(change);
  await store.memberLocales.setLocale(change.authorId, 'de');
  const app = await openApp(config, { clock, log, stopwatch: systemClock });
  onTestFinished(() => app.stop());
  const url = await app.start();

  async function vote(): Promise<number> {
    const userId = discord.members[1]?.id;
    const payload = { eventType: 'server_vote', serverId: guildId, userId, createdAt: new Date(clock.now()) };
    const body = JSON.stringify(payload);
    const headers = { 'x-webhook-signature': sign(body, voteSecret) };
    return (await fetch(`${url}/webhooks/${name}/vote`, { method: 'POST', body, headers })).status;
  }
  const looks = () => discord.requests.filter(({ path }) => path.endsWith('/users/@me/guilds')).length;
  /** An hour later, when the program has compared the guilds again. */
  async function nextLook(): Promise<void> {
    const before = looks();
    // In vain while it still compares them, so it is repeated.
    await vi.waitFor(() => {
      if (looks() === before) clock.advance(hour);
      expect(looks()).toBeGreaterThan(before);
    }, waitOptions);
  }
  // To compare them, and to search them for commands of an earlier installation.
  await vi.waitFor(() => expect(looks()).toBe(2), waitOptions);
  const isParked = async () => {
    const guild = await store.communities.find(guildId);
    return guild !== null && guild.parkedAt !== null;
  };
  const posts = () => discord.messages(discord.channels.announcements);
  const received = () => discord.directMessages(discord.members[0]?.id ?? '');
  const communityId = await addCommunity(store, guildId);
  const votes = async () => (await store.ledgerIn(communityId).account(discord.members[1]?.id ?? '')).votes;
  return { discord, store, logged, clock, vote, votes, posts, received, nextLook, isParked };
}

it('parks a community that has removed the bot, still records its votes, and uses it again once the bot is back', {
  timeout: 60_000,
}, async () => {
  const { discord, store, clock, vote, votes, posts, received, nextLook, isParked, logged } = await startApp();
  expect(await vote()).toBe(200);
  await vi.waitFor(() => expect(posts()).toHaveLength(1), waitOptions);

  // Its manager is a member of the other guild, so Discord accepts the message.
  await nextLook();
  await vi.waitFor(() => expect(received()).toHaveLength(1), waitOptions);
  expect(received()[0]?.embeds).toMatchObject([
    { title: 'Der Bot wurde von deinem Server entfernt', description: expect.stringContaining(leftGuildId) },
  ]);

  discord.guild.removeBot();
  await nextLook();
  // An outage counts as nothing.
  discord.faults.respond500(1, /users\/@me\/guilds/);
  await nextLook();
  await vi.waitFor(() => expect(JSON.stringify(logged)).toContain('could not be compared'), waitOptions);
  expect(await isParked()).toBe(false);
  await nextLook();
  await vi.waitFor(async () => expect(await isParked()).toBe(true), waitOptions);
  await vi.waitFor(() => expect(JSON.stringify(logged)).toContain('the bot was removed'), waitOptions);
  // The change is in effect before the next look.
  await nextLook();
  // The manager shares no server with the bot any more.
  const noticeBuried = { waiting: 0, buried: 1 };
  await vi.waitFor(async () => expect(await store.outbox.sizes()).toEqual(noticeBuried), waitOptions);
  clock.advance(24 * hour);
  expect(await vote()).toBe(200);
  expect(await votes()).toBe(2);
  expect(await store.outbox.sizes()).toEqual(noticeBuried);
  expect(received()).toHaveLength(1);

  discord.guild.addBot();
  await nextLook();
  await vi.waitFor(async () => expect(await isParked()).toBe(false), waitOptions);
  clock.advance(24 * hour);
  expect(await vote()).toBe(200);
  await vi.waitFor(() => expect(posts()).toHaveLength(2), waitOptions);
  expect(await votes()).toBe(3);
});
