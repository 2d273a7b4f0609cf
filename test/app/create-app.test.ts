import { existsSync } from 'node:fs';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createApp as createAppOf } from '../../src/app/app.ts';
import type { VoteEvent } from '../../src/core/outbox/handler-events.ts';
import { createApp } from '../../src/index.ts';
import { localDiscord } from '../support/local-discord.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { postVote } from '../support/start-app.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const secret = 'secret-of-the-webhook';
const receiving = {
  roles: ['receive'],
  listings: [{ name: 'my-server', kind: 'server', id: '1', voteSecrets: [secret] }],
  port: 0,
  log: quiet,
} as const;

const vote = async (url: string | null, userId = '42') => (await postVote(url ?? '', userId, { secret })).json;

describe('createApp with options', () => {
  it('is a complete bot', async () => {
    const discord = await localDiscord();
    const events: VoteEvent[] = [];
    const lines: unknown[] = [];
    const write = (message: string, fields?: object) => lines.push({ message, ...fields });
    const app = await createApp({
      token: discord.token,
      discord: { apiUrl: discord.apiUrl, guildId: discord.guildId },
      lookup: { baseUrl: 'http://127.0.0.1:9/api/v1' },
      listings: [
        {
          name: 'my-server',
          kind: 'server',
          id: discord.guildId,
          lookupKey: 'key-of-the-lookup-api',
          voteSecrets: [secret],
          announceChannelId: discord.channels.announcements,
          rewards: {
            vote: 3,
            voterRole: { role: discord.roles.voter, for: '2h' },
            party: { goal: 1, per: 'week', credits: 4 },
          },
        },
      ],
      database: ':memory:',
      port: 0,
      log: { debug: write, info: write, warn: write, error: write },
      handlers: { onVote: (event) => void events.push(event) },
    });
    onTestFinished(() => app.stop());
    expect(await vote(await app.start())).toMatchObject({ outcome: 'recorded' });
    const announced = () => JSON.stringify(discord.messages(discord.channels.announcements));
    await eventually(() => expect(announced()).toMatch(/The goal is reached!.*Thank you for the vote!/));
    await eventually(() =>
      expect(events).toMatchObject([{ userId: '42', credits: 3, listing: { name: 'my-server' } }]),
    );
    expect(lines).toContainEqual(expect.objectContaining({ message: 'receiving webhooks' }));
    expect(JSON.stringify(lines)).not.toContain(discord.token);
  });

  it('announces and pays votes without a lookup API, and commands say what was delivered', async () => {
    const discord = await localDiscord();
    const [member] = discord.members;
    const app = await createApp({
      token: discord.token,
      discord: { apiUrl: discord.apiUrl, guildId: discord.guildId },
      listings: [
        {
          name: 'my-server',
          kind: 'server',
          voteSecrets: [secret],
          announceChannelId: discord.channels.announcements,
          rewards: { vote: 3 },
        },
      ],
      database: ':memory:',
      port: 0,
      log: quiet,
    });
    onTestFinished(() => app.stop());
    const url = await app.start();
    const offered = app.commandData().map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(['canvote', 'credits', 'remind', 'stats']));
    expect(offered.filter((name) => ['reviews', 'claim'].includes(name))).toEqual([]);
    await eventually(() => expect(discord.commands().map(({ name }) => name)).toEqual(offered));
    const run = async (name: string) => {
      const use = { name, userId: member?.id ?? '', channelId: discord.channels.general };
      return (await discord.runCommand(use).settled).embeds[0];
    };
    expect((await run('canvote'))?.description).toMatch(/perhaps.*this server/i);
    expect(await vote(url, member?.id)).toMatchObject({ outcome: 'recorded' });
    await eventually(() => expect(discord.messages(discord.channels.announcements)).toHaveLength(1));
    expect((await run('canvote'))?.description).toMatch(/this server.*<t:\d+:R>/);
    expect((await run('credits'))?.description).toContain('**3** credits');
    expect(await run('stats')).toMatchObject({ title: 'this server' });
  });
});

describe('createApp.fromEnvironment', () => {
  const environment = {
    ...settings(unreachableDiscord),
    VOTE_WEBHOOK_SECRET: secret,
    TALLYHOOK_ROLES: 'receive',
    CREDITS_PER_VOTE: '7',
    CACHE_URL: 'memory:',
  };

  it('takes what the options leave out from the variables', async () => {
    const app = await createApp.fromEnvironment(environment, { database: ':memory:', log: quiet });
    onTestFinished(() => app.stop());
    await vote(await app.start());
    expect(await app.ledger.account('42')).toMatchObject({ credits: 7 });
  });

  it('prefers the listings of the options', async () => {
    const options = { database: ':memory:', log: quiet, listings: receiving.listings, ownerToken: 'another-token' };
    const app = await createApp.fromEnvironment({ ...environment, VOTE_WEBHOOK_SECRET: 'of no listing' }, options);
    onTestFinished(() => app.stop());
    const url = await app.start();
    expect(await vote(url)).toMatchObject({ outcome: 'recorded' });
    const authorization = 'Bearer another-token';
    expect((await fetch(`${url}/owner/api/users/42`, { headers: { authorization } })).status).toBe(200);
  });
});

describe('createApp, if it fails', () => {
  it('closes the database that it opened', async () => {
    const path = `${tempDir()}/tally.db`;
    const config = loadConfig({
      ...settings(unreachableDiscord),
      DATABASE_URL: `sqlite:${path}`,
      CACHE_URL: 'memory:',
    });
    const listings = config.listings.map((listing) => ({ ...listing, lookupKey: 'two words' }));
    const log = createLog({ level: 'silent', secrets: [] });
    await expect(createAppOf({ ...config, listings }, { clock: systemClock, log })).rejects.toMatchObject({
      code: 'lookup_key_malformed',
    });
    expect(existsSync(path)).toBe(true);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});
