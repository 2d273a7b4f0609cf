import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { envTemplate } from '../../src/cli/init/env-template.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { startService } from '../../src/service/service.ts';
import { localDiscord } from '../support/local-discord.ts';
import { unreachableDiscord } from '../support/settings.ts';
import { launcher, startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

/** `script` of util-linux gives a program a terminal; that of other systems has other options, and some have none. */
const hasTerminal = spawnSync('script', ['-qefc', 'true', '/dev/null']).status === 0;

/** Answers by the beginning of the question; without one, an empty line. */
type Typed = readonly (readonly [question: string, answer: string])[];

/** Runs `tallyhook init` on a terminal, and types the answers. */
async function typeInto(directory: string, environment: Record<string, string>, typed: Typed) {
  const program = `'${process.execPath}' '${launcher}' init`;
  const child = spawn('script', ['-qefc', program, '/dev/null'], {
    cwd: directory,
    env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb', ...environment },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let read = 0;
  child.stdout.on('data', (data) => (output += String(data)));
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const answers = [...typed];
  for (let tries = 0; tries < 2_000 && child.exitCode === null; tries += 1) {
    const fresh = output.slice(read);
    const line = fresh.split('\n').at(-1) ?? '';
    if (/(: |\[(Y\/n|y\/N)\] )$/.test(line)) {
      read = output.length;
      const index = answers.findIndex(([question]) => line.startsWith(question));
      const [[, answer] = ['', '']] = index === -1 ? [] : answers.splice(index, 1);
      child.stdin.write(answer === 'Ctrl-C' ? '\u0003' : `${answer}\r`);
    }
    await sleep(10);
  }
  return { code: await ended, output };
}

async function listingService() {
  const service = await startService({
    ...{ host: '127.0.0.1', port: 0, database: `sqlite:${tempDir()}/service.db`, clock: systemClock },
    log: createLog({ level: 'silent', secrets: [] }),
    ...{ allowLoopbackTargets: true, seed: true },
  });
  onTestFinished(() => service.stop());
  const keys = service.seeded?.keys;
  if (!keys) throw new Error('not seeded');
  return { baseUrl: service.baseUrl, keys };
}

describe('tallyhook init', { timeout: 60_000 }, () => {
  it.skipIf(!hasTerminal)(
    'rejects wrong values, hides secrets, and after Ctrl-C leaves the file as it is',
    async () => {
      const discord = await localDiscord();
      const { baseUrl } = await listingService();
      const directory = tempDir();
      const path = join(directory, '.env');
      writeFileSync(path, '# mine\nPORT=4000\n');
      const { code, output } = await typeInto(directory, { DISCORD_API_URL: discord.apiUrl }, [
        ['Bot token', 'wrong-token-of-discord'],
        ['Bot token', discord.token],
        ['Base URL', 'https://lists.example/api'],
        ['Base URL', baseUrl],
        ['Your Discord server', 'abc'],
        ['Your Discord server', '123456789012345678'],
        ['Your Discord server', discord.guildId],
        ['Link the listing in Discord?', 'n'],
        ['API key of the server', 'wrong-key-of-the-service'],
        ['API key of the server', ''],
        ['API key of the bot', 'Ctrl-C'],
      ]);
      expect(code).toBe(1);
      const expected = [
        ...['Discord rejects this token (401).', 'This is the token of "', 'neither a number nor a name'],
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
    },
  );

  it.skipIf(!hasTerminal)('keeps comments and other values of an existing file, and is right for doctor', async () => {
    const discord = await localDiscord();
    const { baseUrl, keys } = await listingService();
    const directory = tempDir();
    const path = join(directory, '.env');
    writeFileSync(path, '# mine\nOWNER_TOKEN="a # b"\nPORT=0 # any\n#PUBLIC_URL=\n', { mode: 0o644 });
    const { code, output } = await typeInto(directory, { DISCORD_API_URL: discord.apiUrl }, [
      ['Bot token', discord.token],
      ['Base URL', new URL(baseUrl).origin],
      ['Your Discord server', '1'],
      ['Link the listing in Discord?', 'n'],
      ['API key of the server', keys.server],
      ['Public address', 'https://votes.example.com'],
      ['Channel for announcements', '#votes'],
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
    const check = startProgram(['config', '--check'], {}, directory);
    expect(await check.ended).toBe(0);
  });

  it.skipIf(!hasTerminal)('writes two settings if everything else is left at its default', async () => {
    const discord = await localDiscord();
    const { baseUrl } = await listingService();
    const directory = tempDir();
    const { code, output } = await typeInto(directory, { DISCORD_API_URL: discord.apiUrl }, [
      ['Bot token', discord.token],
      ['Base URL', `${new URL(baseUrl).origin}/`],
    ]);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining(`(${discord.guildId})`) });
    const written = parseEnv(readFileSync(join(directory, '.env'), 'utf8'));
    expect(written).toEqual({ DISCORD_TOKEN: discord.token, LOOKUP_BASE_URL: baseUrl });
    expect(output).toContain('Use /setup in your Discord server');
    expect(await startProgram(['config', '--check'], {}, directory).ended).toBe(0);
  });

  it('runs in scripts with two settings, and adds the key of settings on PostgreSQL', async () => {
    const args = [
      'init',
      '--yes',
      '--offline',
      '--set',
      'DISCORD_TOKEN=abc',
      '--set',
      'LOOKUP_BASE_URL=http://list.example',
    ];
    const onSqlite = tempDir();
    const first = startProgram(args, {}, onSqlite);
    expect(await first.ended).toBe(0);
    expect(first.output()).toContain('DISCORD_TOKEN: ! This does not look like a bot token');
    const two = { DISCORD_TOKEN: 'abc', LOOKUP_BASE_URL: 'http://list.example/api/v1' };
    expect(parseEnv(readFileSync(join(onSqlite, '.env'), 'utf8'))).toEqual(two);
    const onPostgres = tempDir();
    const second = startProgram([...args, '--set', 'DATABASE_URL=postgres://host/db'], {}, onPostgres);
    expect(await second.ended).toBe(0);
    const written = parseEnv(readFileSync(join(onPostgres, '.env'), 'utf8'));
    expect(written).toMatchObject({ ...two, SETTINGS_KEY: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(second.output()).not.toContain(written['SETTINGS_KEY']);
    expect(await startProgram(['config', '--check'], {}, onPostgres).ended).toBe(0);
  });

  it('says what it cannot check, and runs in scripts', async () => {
    const directory = tempDir();
    const settings = ['LOOKUP_BASE_URL=http://127.0.0.1:9/api/v1', 'PUBLIC_URL=https://votes.example.com'];
    const args = ['init', '--yes', ...settings.flatMap((each) => ['--set', each])];
    const environment = { DISCORD_TOKEN: 'token-for-tests', DISCORD_API_URL: unreachableDiscord.apiUrl };
    const missing = startProgram(args, { DISCORD_API_URL: unreachableDiscord.apiUrl }, directory);
    expect(await missing.ended).toBe(2);
    expect(missing.output()).toContain('DISCORD_TOKEN is missing.');
    const done = startProgram(args, { ...environment, LOOKUP_SERVER_KEY: 'key-for-tests' }, directory);
    expect(await done.ended).toBe(0);
    expect(done.output()).toMatch(/DISCORD_TOKEN: ! Discord could not be reached/);
    expect(done.output()).not.toMatch(/token-for-tests|key-for-tests/);
    const before = readFileSync(join(directory, '.env'), 'utf8');
    expect(before).toMatch(/^# Settings of tallyhook/);
    expect(envTemplate()).toContain('# The bot token (developer portal');
    expect(parseEnv(envTemplate())).toEqual({});
    const again = startProgram(['init', '--yes', '--offline'], {}, directory);
    expect(await again.ended).toBe(0);
    expect(again.output()).toContain('has all of this already');
    expect(readFileSync(join(directory, '.env'), 'utf8')).toBe(before);
    const invalid = startProgram(['init', '--yes', '--offline', '--set', 'PORT=x'], {}, directory);
    expect(await invalid.ended).toBe(2);
    const noTerminal = startProgram(['init'], {}, directory);
    expect(await noTerminal.ended).toBe(2);
    expect(noTerminal.output()).toContain('There is no terminal');
  });
});
