import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { systemClock } from '@tallyhook/platform/clock';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { silentLogger } from '@tallyhook/platform/logger';
import { onFinished } from '@tallyhook/platform/testing/on-finished';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { markup } from '@tallyhook/platform/texts/markup';
import { describe, expect, it, vi } from 'vitest';
import type { CustomCommand } from '../../../commands/custom-command.ts';
import { loadConfig } from '../../../config/load.ts';
import { createApp } from '../../../src/app/app.ts';
import { createListingTargets } from '../../../src/features/communities/directory.ts';
import { Settings } from '../../../src/features/settings/settings.ts';
import { openStore } from '../../../src/features/store.ts';
import { sign } from '../../../src/webhook/sign.ts';
import { runCommand } from '../../support/command-line.ts';
import { diagnose } from '../../support/diagnose.ts';
import { voteSecret } from '../../support/listings.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { type Installation, startInstallation } from '../../support/start-installation.ts';

const greet: CustomCommand = {
  name: 'greet',
  visibility: 'private',
  describe: () => ({ description: 'Says hello.', options: [] }),
  execute: async () => ({ tone: 'good', text: markup`Hello` }),
};
const patience = { timeout: 60_000, interval: 50 };
const key = { SETTINGS_KEY: 'ab'.repeat(32) };
/** Nothing is configured but the bot, so that listings are linked in Discord. */
const unlinked = {
  ...key,
  ...{ LOOKUP_SERVER_KEY: '', LOOKUP_BOT_KEY: '', VOTE_WEBHOOK_SECRET: '', PREMIUM_WEBHOOK_SECRET: '' },
  ...{ ANNOUNCE_CHANNEL_ID: '', PREMIUM_CHANNEL_ID: '', DISCORD_GUILD_ID: '', DISCORD_CLIENT_SECRET: '' },
};
const vote = () => ({ event: 'server_vote', userId: '80351110224678912', timestamp: new Date().toISOString() });

const untilRegistered = ({ lines }: Installation, count = 1) =>
  vi.waitFor(
    () =>
      expect(lines.filter((line) => line.includes('slash commands registered')).length).toBeGreaterThanOrEqual(count),
    patience,
  );

/** Links a listing as `/setup` does, with the channel #votes. Returns its name. */
async function link(
  { environment, discord }: Pick<Installation, 'environment' | 'discord'>,
  some: Pick<Parameters<Settings['link']>[0], 'kind' | 'targetId' | 'site' | 'lookupKey' | 'voteSecret'>,
): Promise<string> {
  const config = loadConfig(environment);
  const store = await openStore(config.databaseUrl, systemClock, { thread: false });
  const { base, publicUrl } = config;
  const setup = new Settings({
    ...{ store: store.settings, encryption: createEncryption(config.encryption), publicUrl, clock: systemClock },
    ...{ base: () => base, apply: async () => {}, findTarget: createListingTargets(() => undefined).find },
  });
  const author = { guildId: discord.guildId, authorId: '1' };
  const result = await setup.link({ ...author, ...some, interactionId: '1' });
  if (result.status !== 'linked') throw new Error(JSON.stringify(result));
  const { name } = result.listing;
  const changes = [{ listing: name, path: 'announceChannelId', value: discord.channels.announcements }] as const;
  await setup.save({ ...author, interactionId: '2', basis: null, changes });
  await store.close();
  return name;
}

/** Posts until the running program knows the listing. */
async function deliver(url: string, headers: Record<string, string>, body: string): Promise<void> {
  await vi.waitFor(async () => {
    const response = await fetch(url, { method: 'POST', body, headers });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('recorded')]);
  }, patience);
}

const problems = ({ results }: Awaited<ReturnType<typeof diagnose>>) =>
  results.filter(({ level }) => level === 'fail').map(({ check, message }) => `${check}: ${message}`);

describe('doctor tells the truth of what is configured', { timeout: 180_000 }, () => {
  it('in a fresh installation: straight after init, and once it runs, one line says what to do', async () => {
    const directory = tempDir();
    const discord = await localDiscord();
    const settings = ['LOOKUP_BASE_URL=http://127.0.0.1:9/api/v1', 'UPDATE_CHECK=off', 'PORT=0'];
    const environment = { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl };
    const init = ['init', '--yes', '--offline', ...settings.flatMap((each) => ['--set', each])];
    expect((await runCommand(init, environment, directory)).code).toBe(0);
    const written = parseEnv(readFileSync(join(directory, '.env'), 'utf8'));
    const doctor = () => runCommand(['doctor'], { ...environment, ...(written as Record<string, string>) }, directory);
    const first = await doctor();
    expect([first.code, first.output]).toEqual([0, expect.not.stringContaining('✗')]);
    expect(first.output).toContain('! listings       Nothing is linked yet.\n');
    expect(first.output).toContain('→ Start tallyhook, then use /setup in your server in Discord.');
    expect(first.output).not.toMatch(/VOTE_WEBHOOK_SECRET|ANNOUNCE_CHANNEL_ID/);
    expect(first.output).toContain('The first start registers the slash commands globally.');

    const running = await startInstallation(unlinked);
    await untilRegistered(running);
    const second = await diagnose(running.environment);
    expect(problems(second)).toEqual([]);
    expect(second.findingsOf('listings')).toEqual(['warn: Nothing is linked yet.']);
    expect([...second.findingsOf('secrets'), ...second.findingsOf('channels')]).toEqual([]);
  });

  it('linked in Discord', async () => {
    const installation = await startInstallation(unlinked);
    await untilRegistered(installation);
    const { service, url, environment } = installation;
    const id = service.seeded?.server.id ?? '';
    const lookupKey = await service.issueKey(id);
    const name = await link(installation, { kind: 'server', targetId: id, lookupKey, voteSecret });
    const body = JSON.stringify(vote());
    await deliver(`${url}/webhooks/${name}`, { 'x-webhook-signature': sign(body, voteSecret) }, body);
    await untilRegistered(installation, 2);
    await vi.waitFor(async () => {
      const found = await diagnose(environment, { url });
      expect(problems(found)).toEqual([]);
      expect(found.findingsOf('commands')).toEqual(['pass: The slash commands are registered globally.']);
      expect(found.findingsOf('listings')).toEqual([
        expect.stringMatching(
          new RegExp(`^pass: Lantern Harbour \\(${name}\\): secret, channel #votes, last delivery just now \\(2`),
        ),
      ]);
      expect(found.findingsOf('secrets')).toEqual(['pass: The webhook secrets are configured and look valid.']);
      expect(found.findingsOf('address')).toContain(`pass: A signed test for ${name} arrives unchanged.`);
      expect(found.findingsOf('channels').join()).toContain('pass: The bot can announce in #votes');
      for (const secret of [voteSecret, lookupKey]) expect(found.text).not.toContain(secret);
    }, patience);
    // `register` knows them as well, and changes nothing.
    const registered = await runCommand(['register'], environment);
    expect(registered.output).toContain('The commands are already registered globally.');
  });

  it('in code: listings, and commands that are left out or added', async () => {
    const discord = await localDiscord();
    const database = `${tempDir()}/tally.db`;
    const app = await createApp({
      token: discord.token,
      discord: { apiUrl: discord.apiUrl },
      lookup: { baseUrl: 'http://127.0.0.1:9/api/v1' },
      listings: [
        {
          ...{ name: 'in-code', kind: 'server', lookupKey: 'key-for-tests', voteSecrets: [voteSecret] },
          announceChannelId: discord.channels.announcements,
        },
      ],
      ...{ database, port: 0, settingsKey: key.SETTINGS_KEY, log: silentLogger },
      commands: { exclude: ['help'], own: [greet] },
    });
    onFinished(() => app.stop());
    const url = await app.start();
    await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('greet'), patience);
    const environment = {
      ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, PORT: '0', ...key },
      ...{ DATABASE_URL: `sqlite:${database}`, LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1' },
    };
    const body = JSON.stringify(vote());
    await deliver(`${url}/webhooks/vote`, { 'x-webhook-signature': sign(body, voteSecret) }, body);
    await vi.waitFor(async () => {
      const found = await diagnose(environment);
      expect(problems(found)).toEqual([]);
      expect(found.findingsOf('listings')).toEqual([
        expect.stringMatching(
          /^pass: in-code \(configured in the program, not here\): secret, channel #votes, last delivery just now/,
        ),
      ]);
      expect(found.findingsOf('commands')).toEqual(['pass: The slash commands are registered globally.']);
    }, patience);
  });
});
