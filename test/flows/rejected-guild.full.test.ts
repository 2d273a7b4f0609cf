import { DatabaseSync } from 'node:sqlite';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import type { LocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';
import { localDiscord } from '../support/local-discord.ts';
import { blocksOf } from '../support/message-text.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { postVote, startApp } from '../support/start-app.ts';
import { idInSecond, joinGuilds } from '../support/two-guilds.ts';

const waitOptions = { timeout: 60_000, interval: 100 };
const [badSecret, goodSecret] = ['secret-of-the-bad-guild', 'secret-of-the-good-guild'];
const memberId = (index: number) => String(300_000_000_000_000_000n + BigInt(index));

/** Two guilds of one bot; the first has a voter role above the bot's, and a channel in which the bot may not write. */
async function createGuilds(members: number) {
  const people = Array.from({ length: members }, (_, index) => ({ id: memberId(index), username: `member${index}` }));
  const bad = await localDiscord({ people, rateLimits: false });
  const good = await localDiscord({ rateLimits: false });
  bad.faults.losePermission(bad.channels.announcements);
  const apiUrl = await joinGuilds(bad, good);
  const listing = { ...harbour, rewards: { voterRole: { role: bad.roles.moderator, for: '12h' } } };
  const environment = {
    ...environmentWith([
      {
        ...listing,
        ...{ name: 'bad', guildId: bad.guildId, voteSecrets: [badSecret] },
        announceChannelId: bad.channels.announcements,
      },
      {
        ...{ ...harbour, name: 'good', id: '2000', lookupKey: 'another-key-for-tests', voteSecrets: [goodSecret] },
        ...{ guildId: idInSecond(good.guildId), announceChannelId: idInSecond(good.channels.announcements) },
      },
    ]),
    ...{ DISCORD_TOKEN: bad.token, DISCORD_API_URL: apiUrl, OWNER_TOKEN: 'owner-token', PORT: '0' },
    ...{ LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1', DATABASE_URL: newSqliteUrl() },
  };
  return { bad, good, environment };
}

async function startProcess(environment: Record<string, string>, clock: Clock = systemClock) {
  const { app, url } = await startApp(environment, { clock });
  const vote = async (userId: string, secret: string) =>
    expect((await postVote(url, userId, { secret, at: clock.now() })).status).toBe(200);
  const database = new DatabaseSync((environment['DATABASE_URL'] ?? '').replace('sqlite:', ''), { readOnly: true });
  onTestFinished(() => database.close());
  const select = database.prepare('select kind, queue, reason from effects where state = ?');
  const effects = (state: string) => select.all(state) as { kind: string; queue: string; reason: string | null }[];
  const read = async (path: string) => (await fetch(url + path)).text();
  return { app, url, vote, effects, read };
}

/** Those that Discord counts before it stops a bot, of which 404 is none: the name of a server that the bot is not in. */
function rejected(discord: LocalDiscord) {
  const all = discord.requests.filter(({ status }) => [401, 403, 429].includes(status));
  return {
    all: all.length,
    role: all.filter(({ path }) => path.includes('/roles/')).length,
    channel: all.filter(({ path }) => path.includes(discord.channels.announcements)).length,
  };
}

/** The members named in announcements, once for each. */
function announced(discord: LocalDiscord): string[] {
  const texts = discord.messages(discord.channels.announcements).flatMap(blocksOf);
  return texts.map((text) => /<@(\d+)>/.exec(text)?.[1] ?? '').sort();
}

async function inParallel<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  for (let first = 0; first < items.length; first += 50) await Promise.all(items.slice(first, first + 50).map(run));
}

describe('a guild in which Discord rejects everything', { timeout: 180_000 }, () => {
  it('costs a few requests however many votes it has, delays no other guild, and gets what waited once it is possible', async () => {
    const count = 100;
    const { bad, good, environment } = await createGuilds(count);
    const { vote, effects, read } = await startProcess(environment);
    const voters = Array.from({ length: count }, (_, index) => memberId(index));
    await vi.waitFor(() => expect(bad.connected).toBe(true), waitOptions);

    await inParallel(voters, (userId) => vote(userId, badSecret));
    await vote('501', goodSecret);
    await vi.waitFor(() => expect(announced(good)).toEqual(['501']), waitOptions);
    // Everything waits with its reason, the first attempts as well.
    await vi.waitFor(() => {
      const waiting = effects('waiting');
      const reasons = waiting.map(({ reason }) => reason);
      expect(reasons).toContainEqual(expect.stringContaining('Give it Send Messages'));
      expect(reasons).toContainEqual(expect.stringContaining('Drag the role of the bot above it'));
      expect(waiting.filter(({ kind, queue }) => kind === 'role' && !queue.endsWith(bad.roles.moderator))).toEqual([]);
    }, waitOptions);
    const note = expect.stringContaining('1 channel and 1 role');
    expect(JSON.parse(await read('/readyz'))).toMatchObject({ parts: { requests: { ready: true, note } } });
    for (const kind of ['channel', 'role'])
      expect(await read('/metrics')).toMatch(new RegExp(`^tallyhook_discord_stopped\\{kind="${kind}"\\} 1$`, 'm'));
    await vote('502', goodSecret);
    await vi.waitFor(() => expect(announced(good)).toEqual(['501', '502']), waitOptions);
    expect(rejected(bad).role).toBeLessThanOrEqual(10);
    expect(rejected(bad).channel).toBeLessThanOrEqual(10);

    bad.faults.regainPermission(bad.channels.announcements);
    bad.guild.moveRole(bad.roles.moderator, 1);
    await vi.waitFor(() => expect(effects('waiting')).toEqual([]), waitOptions);
    expect(effects('buried')).toEqual([]);
    expect(announced(bad)).toEqual(voters.toSorted());
    const given = bad.requests
      .filter(({ method, status }) => method === 'PUT' && status === 204)
      .map(({ path }) => path);
    expect(new Set(given).size).toBe(given.length);
    expect(given).toHaveLength(count);
  });

  it('announces the only vote of a quiet server, gives its role and reports once, whatever permission was missing', async () => {
    for (const name of ['sendMessages', 'embedLinks', 'viewChannel'] as const) {
      const { bad, environment } = await createGuilds(3);
      bad.faults.regainPermission(bad.channels.announcements);
      bad.faults.losePermission(bad.channels.announcements, name);
      const { url, vote, effects } = await startProcess(environment);
      await vi.waitFor(() => expect(bad.connected).toBe(true), waitOptions);
      await vote(memberId(1), badSecret);
      // The owner's own test is such a vote, too.
      const body = JSON.stringify({ event: 'server_vote', test: true, userId: memberId(2) });
      const signed = { 'x-webhook-signature': sign(body, badSecret) };
      await fetch(`${url}/webhooks/vote`, { method: 'POST', body, headers: signed });
      await vi.waitFor(() => {
        const rejectedKinds = effects('waiting').flatMap(({ kind, reason }) => (reason === null ? [] : kind));
        expect(rejectedKinds).toEqual(expect.arrayContaining(['announcement', 'role']));
      }, waitOptions);
      expect(bad.messages(bad.channels.announcements)).toEqual([]);
      bad.faults.regainPermission(bad.channels.announcements, name);
      bad.guild.moveRole(bad.roles.moderator, 1);
      await vi.waitFor(() => expect(effects('waiting')).toEqual([]), waitOptions);
      expect(effects('buried')).toEqual([]);
      const texts = bad.messages(bad.channels.announcements).flatMap(blocksOf);
      expect(texts).toHaveLength(2);
      expect(texts.join()).toContain(`<@${memberId(1)}>`);
      expect(bad.rolesOf(memberId(1))).toEqual([bad.roles.moderator]);
    }
  });
});
