import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../../commands/index.ts';
import { receiver } from '../service/running.ts';
import { createDatabaseWithVotes } from '../support/database-with-votes.ts';
import { localDiscord } from '../support/local-discord.ts';
import { settings } from '../support/settings.ts';
import { launcher } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

interface RunResult {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], environment: Record<string, string> = {}, cwd = tempDir()): Promise<RunResult> {
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [launcher, ...args], { env, cwd }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** Parses the first output of a server, and stops it. */
async function firstLine(args: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, [launcher, ...args], { env: { PATH: '' }, cwd: tempDir() });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [data] = await once(child.stdout, 'data');
  child.kill('SIGTERM');
  await once(child, 'exit');
  return JSON.parse(String(data));
}

describe('--json', { timeout: 60_000 }, () => {
  it('prints the settings, warnings and issues without secrets', async () => {
    const environment = { DISCORD_TOKEN: 'hush', PORT: 'x', VOTE_WEBHOOK_SECERT: 'hush', DATABASE_URL: 'sqlite:a.db' };
    const { code, stdout } = await run(['config', '--json', '--check'], environment);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      // They are shown only if all settings are valid.
      listings: null,
      settings: expect.arrayContaining([
        { name: 'DISCORD_TOKEN', source: 'environment', value: null },
        { name: 'HOST', source: 'default', value: '127.0.0.1' },
        { name: 'DATABASE_URL', source: 'environment', value: 'sqlite:a.db' },
        { name: 'OWNER_TOKEN', source: 'unset', value: null },
      ]),
      warnings: [
        {
          setting: 'VOTE_WEBHOOK_SECERT',
          problem: 'is not a setting of tallyhook.',
          hint: 'Did you mean VOTE_WEBHOOK_SECRET?',
        },
      ],
      issues: expect.arrayContaining([
        { setting: 'PORT', problem: 'has an invalid value: "x".', hint: expect.any(String) },
      ]),
    });
    expect(stdout).not.toContain('hush');
    expect((await run(['config', '--json'], environment)).code).toBe(0);
  });

  it('prints the content of a backup and of a restored database', async () => {
    const directory = tempDir();
    const database = (name: string) => ({ DATABASE_URL: `sqlite:${join(directory, name)}` });
    await createDatabaseWithVotes(database('tally.db').DATABASE_URL, ['1', '2']);
    const copy = join(directory, 'copy.db');
    const content = { entries: 2, users: 2, lastDeliveryAt: '2026-01-01T00:00:00.000Z', differingBalances: 0 };
    const backup = await run(['backup', copy, '--json'], database('tally.db'));
    expect(JSON.parse(backup.stdout)).toEqual({ file: copy, database: join(directory, 'tally.db'), ...content });
    const restore = await run(['restore', copy, '--json'], database('new.db'));
    expect(JSON.parse(restore.stdout)).toEqual({ file: copy, database: join(directory, 'new.db'), ...content });
  });

  it('prints the summary of an export to stderr', async () => {
    const url = `sqlite:${tempDir()}/tally.db`;
    await createDatabaseWithVotes(url, ['1', '2']);
    const text = await run(['export'], { DATABASE_URL: url });
    expect(text.stdout.trim().split('\n')).toHaveLength(2);
    expect(text.stderr).toBe('Exported 2 entries, 20 credits in total.\n');
    const json = await run(['export', '--json'], { DATABASE_URL: url });
    expect(json.stdout).toBe(text.stdout);
    expect(JSON.parse(json.stderr)).toEqual({ entries: 2, credits: 20 });
  });

  it('prints the result of each sent delivery', async () => {
    const { url } = await receiver();
    const { code, stdout } = await run(['send', 'vote', '--to', url, '--secret', 'hush', '--duplicate', '--json']);
    expect(code).toBe(0);
    const delivery = { status: 200, response: '{"received":true}', error: null, passed: true };
    expect(JSON.parse(stdout)).toMatchObject({ passed: true, deliveries: [delivery, delivery] });
    const failedRun = await run(['send', 'vote', '--to', 'http://127.0.0.1:9', '--secret', 'hush', '--json']);
    expect(failedRun.code).toBe(1);
    expect(JSON.parse(failedRun.stdout)).toMatchObject({
      passed: false,
      deliveries: [{ status: null, response: null, error: expect.any(String), passed: false }],
    });
    expect(stdout + failedRun.stdout).not.toContain('hush');
  });

  it('prints the outcome of the registration', async () => {
    const discord = await localDiscord();
    const { code, stdout } = await run(['register', '--json'], settings(discord));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'registered', guildId: null, deleted: [], conflicts: [] });
    expect(JSON.parse(stdout).created).toHaveLength(commands.length);
  });

  it('prints the addresses of the servers', async () => {
    expect(await firstLine(['sandbox', '--port', '0', '--json'])).toEqual({
      page: expect.stringMatching(/^http/),
      service: expect.stringMatching(/^http/),
      bot: expect.stringMatching(/^http/),
    });
    expect(await firstLine(['service', '--port', '0', '--seed', '--json', '--log-level', 'silent'])).toEqual({
      url: expect.stringMatching(/^http/),
      baseUrl: expect.stringMatching(/\/api\/v1$/),
      operationsUrl: null,
      seeded: {
        server: { id: expect.any(String), key: expect.any(String) },
        bot: { id: expect.any(String), key: expect.any(String) },
      },
    });
  });

  it('prints the key of a new listing and the sign-in link', async () => {
    const directory = tempDir();
    const options = ['--kind', 'bot', '--id', '99', '--name', 'Helper', '--owner', '7', '--json'];
    const addListing = await run(['service', 'add-listing', ...options], {}, directory);
    expect(JSON.parse(addListing.stdout)).toEqual({ id: '99', kind: 'bot', name: 'Helper', key: expect.any(String) });
    const link = await run(['service', 'sign-in', '--user', '7', '--name', 'Ann', '--json'], {}, directory);
    const url = expect.stringContaining('/sign-in/');
    expect(JSON.parse(link.stdout)).toEqual({ userId: '7', username: 'Ann', url, validSeconds: 900 });
  });
});
