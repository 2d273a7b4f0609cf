import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseEnv, stripVTControlCharacters } from 'node:util';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { createTypist, ctrlC, type Typed, tick } from '@tallyhook/platform/testing/typist';
import { describe, expect, it } from 'vitest';
import { schemaAddress } from '../../config/listings-file.ts';
import { envTemplate } from '../../src/cli/init/init-command.ts';
import { botToken } from '../support/bot-token.ts';
import { runCommand, startCommand } from '../support/command-line.ts';
import { localDiscord } from '../support/local-discord.ts';
import { unreachableDiscord } from '../support/settings.ts';
import { startListingService } from '../support/start-installation.ts';

/** Runs `tallyhook init` on a terminal, and types the answers. */
async function typeInto(directory: string, environment: Record<string, string>, typed: Typed) {
  const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const typist = createTypist(typed, (keys) => keyboard.write(keys));
  const options = { cwd: directory, input: keyboard, onOutput: typist.read };
  const run = await startCommand(['init'], environment, options).ended;
  expect(typist.left()).toEqual([]);
  return { ...run, output: stripVTControlCharacters(run.output) };
}

describe('tallyhook init', { timeout: 120_000 }, () => {
  it('rejects wrong values, hides secrets, and after Ctrl-C leaves the file as it is', async () => {
    const discord = await localDiscord();
    const { baseUrl } = (await startListingService()).service;
    const directory = tempDir();
    const path = join(directory, '.env');
    writeFileSync(path, '# mine\nPORT=4000\n');
    const { code, output } = await typeInto(directory, { DISCORD_API_URL: discord.apiUrl }, [
      ['Where are you listed?', tick('lookup')],
      ['Bot token', '\r'],
      ['Bot token', 'wrong-token-of-discord\r'],
      ['Bot token', `${discord.token}\r`],
      ['Base URL', 'https://lists.example/api\r'],
      ['Base URL', `${baseUrl}\r`],
      ['Your Discord server', 'another\r'],
      ['Your Discord server', 'abc\r'],
      ['Your Discord server', '123456789012345678\r'],
      ['Your Discord server', `${discord.guildId}\r`],
      ['Link the listing in Discord?', 'n'],
      ['API key of the server', 'wrong-key-of-the-service\r'],
      ['API key of the server', '\r'],
      ['API key of the bot', ctrlC],
    ]);
    expect(code).toBe(1);
    const expected = [
      ...['This is needed', 'Discord rejects this token (401).', 'This is the token of "', 'This is not a Discord id'],
      ...[
        'The bot is not on this server.',
        'This is the server "',
        'ending in /api/v1',
        'The service rejects this key',
      ],
      'Stopped. Nothing was written.',
    ];
    expect(expected.filter((text) => !output.includes(text))).toEqual([]);
    const secrets = [discord.token, 'wrong-token-of-discord', 'wrong-key-of-the-service'];
    expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('# mine\nPORT=4000\n');
    expect(readdirSync(directory)).toEqual(['.env']);
  });

  it('keeps comments and other values of an existing file, and is right for doctor', async () => {
    const discord = await localDiscord();
    const { service, keys } = await startListingService();
    const { baseUrl } = service;
    const directory = tempDir();
    const path = join(directory, '.env');
    writeFileSync(path, '# mine\nOWNER_TOKEN="a # b"\nPORT=0 # any\n#PUBLIC_URL=\n', { mode: 0o644 });
    const { code, output } = await typeInto(directory, { DISCORD_API_URL: discord.apiUrl }, [
      ['Where are you listed?', tick('lookup')],
      ['Bot token', `${discord.token}\r`],
      ['Base URL', `${new URL(baseUrl).origin}\r`],
      ['Your Discord server', `${discord.guildId}\r`],
      ['Link the listing in Discord?', 'n'],
      ['API key of the server', `${keys.server}\r`],
      ['Public address', 'https://votes.example.com\r'],
      ['Channel for announcements', 'votes\r'],
      ['Change ', 'y'],
    ]);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('The bot can post in #') });
    const text = readFileSync(path, 'utf8');
    const { VOTE_WEBHOOK_SECRET: secret, ...values } = parseEnv(text);
    expect(values).toEqual({
      ...{ DISCORD_TOKEN: discord.token, DISCORD_GUILD_ID: discord.guildId, OWNER_TOKEN: 'a # b', PORT: '0' },
      ...{ LOOKUP_BASE_URL: baseUrl, LOOKUP_SERVER_KEY: keys.server, PUBLIC_URL: 'https://votes.example.com' },
      ANNOUNCE_CHANNEL_ID: discord.channels.announcements,
    });
    expect(text.split('\n').slice(0, 5)).toEqual([
      ...['# mine', 'OWNER_TOKEN="a # b"', 'PORT=0 # any', '#PUBLIC_URL=', 'PUBLIC_URL=https://votes.example.com'],
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(output).toContain(`set the webhook URL to https://votes.example.com/webhooks`);
    expect(output).toContain(`the secret for votes to ${secret}`);
    expect((await runCommand(['config', '--check'], {}, directory)).code).toBe(0);
  });

  it('asks an owner on top.gg and Disurl for the bot token alone, and leads to /setup', async () => {
    const discord = await localDiscord();
    const directory = tempDir();
    const { code, output } = await typeInto(directory, { DISCORD_API_URL: discord.apiUrl }, [
      ['Where are you listed?', `top.gg\t\u0015${tick('disurl')}`],
      ['Bot token', `${discord.token}\r`],
    ]);
    expect(code).toBe(0);
    expect(parseEnv(readFileSync(join(directory, '.env'), 'utf8'))).toEqual({ DISCORD_TOKEN: discord.token });
    expect(output).not.toMatch(/Base URL|API key/);
    expect(output).toContain('Use /setup in your Discord server: it links your listing on top.gg and Disurl');
    expect((await runCommand(['config', '--check'], {}, directory)).code).toBe(0);
  });

  it('runs in scripts with two settings, and adds the key of settings on PostgreSQL', async () => {
    const args = [
      'init',
      '--yes',
      '--offline',
      '--set',
      `DISCORD_TOKEN=Bot ${botToken}`,
      '--set',
      'LOOKUP_BASE_URL=http://list.example',
    ];
    const onSqlite = tempDir();
    const first = await runCommand(args, {}, onSqlite);
    expect(first.code).toBe(0);
    const two = { DISCORD_TOKEN: botToken, LOOKUP_BASE_URL: 'http://list.example/api/v1' };
    expect(parseEnv(readFileSync(join(onSqlite, '.env'), 'utf8'))).toEqual(two);
    const onPostgres = tempDir();
    const second = await runCommand([...args, '--set', 'DATABASE_URL=postgres://host/db'], {}, onPostgres);
    expect(second.code).toBe(0);
    const written = parseEnv(readFileSync(join(onPostgres, '.env'), 'utf8'));
    expect(written).toMatchObject({ ...two, SETTINGS_KEY: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(second.output).not.toContain(written['SETTINGS_KEY']);
    expect((await runCommand(['config', '--check'], {}, onPostgres)).code).toBe(0);
    const key = ['--set', 'LOOKUP_SERVER_KEY=key-for-tests'];
    expect((await runCommand([...args, ...key], {}, onPostgres)).code).toBe(0);
    expect(parseEnv(readFileSync(join(onPostgres, '.env'), 'utf8'))['SETTINGS_KEY']).toBe(written['SETTINGS_KEY']);
    const withKey = tempDir();
    const third = await runCommand([...args, ...key, '--set', 'DATABASE_URL=postgres://host/db'], {}, withKey);
    expect(third.code).toBe(0);
    expect(parseEnv(readFileSync(join(withKey, '.env'), 'utf8'))['SETTINGS_KEY']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('refuses a token by its form, also if Discord cannot be asked', async () => {
    const others = ['--set', 'LOOKUP_BASE_URL=127.0.0.1:3200'];
    for (const [token, args, environment] of [
      ['bad-token', ['--offline'], {}],
      ['bad token', [], { DISCORD_API_URL: unreachableDiscord.apiUrl }],
      ['0123456789abcdef'.repeat(4), [], { DISCORD_API_URL: unreachableDiscord.apiUrl }],
    ] as const) {
      const directory = tempDir();
      const words = ['init', '--yes', ...args, ...others, '--set', `DISCORD_TOKEN=${token}`];
      const { code, output } = await runCommand(words, environment, directory);
      expect(code).toBe(2);
      expect(output).toMatch(/^DISCORD_TOKEN: This is not the bot token .*: it /);
      expect(output).not.toContain(token);
    }
    const directory = tempDir();
    const words = ['init', '--yes', '--offline', ...others, '--set', `DISCORD_TOKEN=${botToken}`];
    expect((await runCommand(words, {}, directory)).code).toBe(0);
    expect(parseEnv(readFileSync(join(directory, '.env'), 'utf8'))['LOOKUP_BASE_URL']).toBe(
      'http://127.0.0.1:3200/api/v1',
    );
  });

  it('says what it cannot check, and runs in scripts', async () => {
    const directory = tempDir();
    const settings = ['LOOKUP_BASE_URL=http://127.0.0.1:9/api/v1', 'PUBLIC_URL=https://votes.example.com'];
    const args = ['init', '--yes', ...settings.flatMap((each) => ['--set', each])];
    const { apiUrl: DISCORD_API_URL } = unreachableDiscord;
    const environment = { DISCORD_TOKEN: 'token-for-tests', DISCORD_API_URL };
    const missing = await runCommand(args, { DISCORD_API_URL }, directory);
    expect(missing.code).toBe(2);
    expect(missing.output).toContain('DISCORD_TOKEN is missing.');
    const done = await runCommand(args, { ...environment, LOOKUP_SERVER_KEY: 'key-for-tests' }, directory);
    expect(done.code).toBe(0);
    expect(done.output).toMatch(/DISCORD_TOKEN: ! Discord could not be reached/);
    expect(done.output).not.toMatch(/token-for-tests|key-for-tests/);
    const before = readFileSync(join(directory, '.env'), 'utf8');
    expect(before).toMatch(/^# Settings of tallyhook/);
    expect(envTemplate()).toContain('# The bot token (developer portal');
    expect(parseEnv(envTemplate())).toEqual({});
    const again = await runCommand(['init', '--yes', '--offline'], { DISCORD_API_URL }, directory);
    expect(again.code).toBe(0);
    expect(again.output).toContain('has all of this already');
    expect(readFileSync(join(directory, '.env'), 'utf8')).toBe(before);
    const invalid = await runCommand(['init', '--yes', '--offline', '--set', 'PORT=x'], {}, directory);
    expect(invalid.code).toBe(2);
    const noTerminal = await runCommand(['init'], {}, directory);
    expect(noTerminal.code).toBe(2);
    expect(noTerminal.output).toContain('There is no terminal');
  });

  it('creates the file that TALLYHOOK_CONFIG names, with the schema for editors, and never replaces it', async () => {
    const directory = tempDir();
    const path = join(directory, 'listings.json');
    const init = ['init', '--yes', '--offline', '--set', 'TALLYHOOK_CONFIG=listings.json'];
    const run = () => runCommand(init, { DISCORD_TOKEN: botToken }, directory);
    const { code, stdout } = await run();
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Wrote ${path}: list your servers`)]);
    const { $schema, listings } = JSON.parse(readFileSync(path, 'utf8'));
    expect([$schema, listings]).toEqual([schemaAddress, []]);
    const own = `{ "$schema": "${schemaAddress}", "listings": [{ "name": "harbour", "kind": "server" }] }`;
    writeFileSync(path, own);
    expect((await run()).stdout).not.toContain('list your servers');
    expect(readFileSync(path, 'utf8')).toBe(own);
    expect(await runCommand(['config', '--check'], {}, directory)).toMatchObject({ code: 0 });
  });
});
