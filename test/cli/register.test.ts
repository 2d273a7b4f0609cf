import { systemClock } from '@tallyhook/platform/clock';
import { createHttpServer } from '@tallyhook/platform/http/server';
import { createLog } from '@tallyhook/platform/log';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createInteractionsEndpoint } from '../../src/discord/interactions/endpoint.ts';
import { createRestTransports } from '../../src/discord/interactions/responses.ts';
import { formatCommand } from '../../src/discord/registration/registration.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { runCommand } from '../support/command-line.ts';
import { localDiscord } from '../support/local-discord.ts';
import { offeredCommands } from '../support/offered-commands.ts';
import { settings } from '../support/settings.ts';

describe('tallyhook register', { timeout: 120_000 }, () => {
  it('registers its commands, keeps those of another program, and prints a report', async () => {
    const discord = await localDiscord();
    const rest = createDiscordRest(discord);
    const route = `/applications/${discord.applicationId}/commands` as const;
    await rest.post(route, { name: 'play', description: 'Plays a song.' });
    await rest.post(route, { name: 'stats', description: 'Statistics of the game.' });
    const otherCommands = await rest.get(route);
    const names = (await offeredCommands(settings(discord))).filter((name) => name !== 'stats');
    const offered = names.map(formatCommand).join(', ');
    const directory = tempDir();
    const register = () => runCommand(['register'], settings(discord), directory);
    const first = await register();
    expect(first.code).toBe(0);
    expect(first.output).toContain(`Registered globally.\n  created: ${offered}\n`);
    expect(first.output).toMatch(/\/stats \(\d+\) belongs to another program/);
    const second = await register();
    expect(second.output).toContain(`The commands are already registered globally.\n  unchanged: ${offered}\n`);
    expect(await rest.get(route)).toEqual(expect.arrayContaining(otherCommands as unknown[]));
    expect(discord.requests.filter(({ method }) => method === 'PUT')).toEqual([]);
  });

  it('says that Discord rejects the token, and where to copy it', async () => {
    const discord = await localDiscord();
    const { code, output } = await runCommand(
      ['register'],
      { ...settings(discord), DISCORD_TOKEN: 'wrong' },
      tempDir(),
    );
    expect(code).toBe(1);
    expect(output).toContain('Discord rejects the bot token (401). Copy the bot token again');
  });

  it('leaves out the commands that it is told to, and names the nearest one of a name that does not exist', async () => {
    const discord = await localDiscord();
    const directory = tempDir();
    const register = (names: string) => runCommand(['register', '--exclude', names], settings(discord), directory);
    const { code, output } = await register('help, /stats');
    expect(code).toBe(0);
    expect(output).not.toMatch(/\/(help|stats)\b/);
    expect(await register('hepl')).toMatchObject({ code: 2, output: expect.stringContaining('Did you mean help?') });
  });

  it('publishes linked roles and the installation by members, once', async () => {
    const discord = await localDiscord();
    const linked = { DISCORD_CLIENT_SECRET: discord.clientSecret, PUBLIC_URL: 'https://votes.example' };
    const directory = tempDir();
    const register = async () => {
      const args = ['register', '--user-install', '--json'];
      const { stdout } = await runCommand(args, { ...settings(discord), ...linked }, directory);
      return JSON.parse(stdout) as { application: readonly string[] };
    };
    const all = ['integration_types_config', 'role_connections_verification_url', 'role_connections_metadata'];
    expect((await register()).application).toEqual(all);
    expect((await register()).application).toEqual([]);
    expect(discord.connections.records.map(({ key }) => key)).toEqual(['votes', 'streak', 'last_vote', 'premium']);
    expect(await createDiscordRest(discord).get('/applications/@me')).toMatchObject({
      role_connections_verification_url: 'https://votes.example/linked-roles',
      integration_types_config: { 0: {}, 1: { oauth2_install_params: { scopes: ['applications.commands'] } } },
    });
  });

  it('sets the endpoint of commands, which Discord checks, and returns to the gateway', async () => {
    const discord = await localDiscord();
    const directory = tempDir();
    const register = (...args: string[]) => runCommand(['register', ...args], settings(discord), directory);
    const endpoint = createInteractionsEndpoint({
      ...{ publicKey: discord.publicKey, handle: async () => {}, transports: createRestTransports(discord) },
      ...{ clock: systemClock, stopwatch: systemClock, log: createLog({ level: 'silent', secrets: [] }) },
    });
    const server = createHttpServer(endpoint.handle);
    onTestFinished(() => server.close());
    const url = `${(await server.listen('127.0.0.1', 0)).url}/interactions`;

    const rejected = await register('--http', '--url', `${discord.origin}/no-endpoint`);
    expect([rejected.code, discord.interactionsEndpoint]).toEqual([1, null]);
    expect(rejected.output).toContain('Discord does not accept the endpoint');
    const accepted = await register('--http', '--url', url);
    expect([accepted.code, discord.interactionsEndpoint]).toEqual([0, url]);
    expect(accepted.output).toContain(`Discord sends commands to ${url}.`);
    expect((await register('--gateway')).code).toBe(0);
    expect(discord.interactionsEndpoint).toBe(null);
    expect((await register('--http')).code).toBe(2);
  });
});
