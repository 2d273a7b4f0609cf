import { systemClock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { createLog } from '@tallyhook/platform/log';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openApp } from '../../../src/app/app.ts';
import { createDirectory, createListingTargets } from '../../../src/features/communities/directory.ts';
import { createSettings } from '../../../src/features/settings/in-effect.ts';
import { openStore } from '../../../src/features/store.ts';
import { sign } from '../../../src/webhook/signature.ts';
import { addCommunity, communityIdsOf } from '../../support/communities.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

const waitOptions = { timeout: 30_000, interval: 50 };
/** Another community, which has removed the bot before. */
const leftGuildId = '770000000000000001';
const voteSecret = 'vote-secret-of-the-community';

async function start() {
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
  const lines: string[] = [];
  const log = createLog({ level: 'info', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const clock = createOffsetClock();
  const store = await openStore(config.databaseUrl, systemClock, { thread: false });
  onTestFinished(() => store.close());
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
  return { discord, store, lines, clock, vote, votes, posts, received, nextLook, isParked };
}

it('parks a community that has removed the bot, still records its votes, and uses it again once the bot is back', {
  timeout: 60_000,
}, async () => {
  const { discord, store, clock, vote, votes, posts, received, nextLook, isParked, lines } = await start();
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
  await vi.waitFor(() => expect(lines.join('')).toContain('could not be compared'), waitOptions);
  expect(await isParked()).toBe(false);
  await nextLook();
  await vi.waitFor(async () => expect(await isParked()).toBe(true), waitOptions);
  await vi.waitFor(() => expect(lines.join('')).toContain('the bot was removed'), waitOptions);
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
