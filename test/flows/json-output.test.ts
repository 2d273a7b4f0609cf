import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { receiver } from 'listing-service/testing/running';
import { describe, expect, it, vi } from 'vitest';
import { runCommand, startCommand } from '../support/command-line.ts';
import { createDatabaseWithVotes } from '../support/database-with-votes.ts';
import { localDiscord } from '../support/local-discord.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { offeredCommands } from '../support/offered-commands.ts';
import { settings } from '../support/settings.ts';

/** Parses the first output of a server, and stops it. */
async function firstOutput(...args: readonly string[]): Promise<unknown> {
  const { output, stop, ended } = startCommand(args);
  await vi.waitFor(() => expect(output()).toContain('\n'), { timeout: 120_000 });
  stop();
  expect((await ended).code).toBe(0);
  return JSON.parse(output());
}

describe('--json', { timeout: 120_000 }, () => {
  it('prints the settings, warnings and issues without secrets', async () => {
    const environment = { DISCORD_TOKEN: 'hush', PORT: 'x', VOTE_WEBHOOK_SECERT: 'hush', DATABASE_URL: 'sqlite:a.db' };
    const { code, stdout } = await runCommand(['config', '--json', '--check'], environment);
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
        {
          setting: 'PORT',
          problem: 'has an invalid value: "x"; it must be the number alone.',
          hint: expect.any(String),
        },
      ]),
    });
    expect(stdout).not.toContain('hush');
    expect((await runCommand(['config', '--json'], environment)).code).toBe(0);
  });

  it('prints the content of a backup and of a restored database', async () => {
    const directory = tempDir();
    const database = (name: string) => ({ DATABASE_URL: `sqlite:${join(directory, name)}` });
    await createDatabaseWithVotes(database('tally.db').DATABASE_URL, ['1', '2']);
    const copy = join(directory, 'copy.db');
    const content = { entries: 2, users: 2, lastDeliveryAt: '2026-01-01T00:00:00.000Z', differingBalances: 0 };
    const backup = await runCommand(['backup', copy, '--json'], database('tally.db'));
    expect(JSON.parse(backup.stdout)).toEqual({ file: copy, database: join(directory, 'tally.db'), ...content });
    const restore = await runCommand(['restore', copy, '--json'], database('new.db'));
    expect(JSON.parse(restore.stdout)).toEqual({ file: copy, database: join(directory, 'new.db'), ...content });
  });

  it('prints the summary of an export to stderr', async () => {
    const url = newSqliteUrl();
    await createDatabaseWithVotes(url, ['1', '2']);
    const text = await runCommand(['export'], { DATABASE_URL: url });
    expect(text.stdout.trim().split('\n')).toHaveLength(2);
    expect(text.stderr).toBe('Exported 2 entries, 20 credits in total.\n');
    const json = await runCommand(['export', '--json'], { DATABASE_URL: url });
    expect(json.stdout).toBe(text.stdout);
    expect(JSON.parse(json.stderr)).toEqual({ entries: 2, credits: 20 });
  });

  it('prints the result of each sent delivery', async () => {
    const { url } = await receiver();
    const { code, stdout } = await runCommand([
      'send',
      'vote',
      '--to',
      url,
      '--secret',
      'hush',
      '--duplicate',
      '--json',
    ]);
    expect(code).toBe(0);
    const delivery = { status: 200, response: '{"received":true}', error: null, passed: true };
    expect(JSON.parse(stdout)).toMatchObject({ passed: true, deliveries: [delivery, delivery] });
    const failedRun = await runCommand(['send', 'vote', '--to', 'http://127.0.0.1:9', '--secret', 'hush', '--json']);
    expect(failedRun.code).toBe(1);
    expect(JSON.parse(failedRun.stdout)).toMatchObject({
      passed: false,
      deliveries: [{ status: null, response: null, error: expect.any(String), passed: false }],
    });
    expect(stdout + failedRun.stdout).not.toContain('hush');
  });

  it('prints the outcome of the registration', async () => {
    const discord = await localDiscord();
    const { code, stdout } = await runCommand(['register', '--json'], settings(discord));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'registered', guildId: null, deleted: [], conflicts: [] });
    expect(JSON.parse(stdout).created).toEqual(await offeredCommands(settings(discord)));
  });

  it('prints the addresses of the servers', async () => {
    expect(await firstOutput('sandbox', '--port', '0', '--json')).toEqual({
      page: expect.stringMatching(/^http/),
      service: expect.stringMatching(/^http/),
      bot: expect.stringMatching(/^http/),
    });
    expect(await firstOutput('service', '--port', '0', '--seed', '--json', '--log-level', 'silent')).toEqual({
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
    const addListing = await runCommand(['service', 'add-listing', ...options], {}, directory);
    expect(JSON.parse(addListing.stdout)).toEqual({ id: '99', kind: 'bot', name: 'Helper', key: expect.any(String) });
    const link = await runCommand(['service', 'sign-in', '--user', '7', '--name', 'Ann', '--json'], {}, directory);
    const url = expect.stringContaining('/sign-in/');
    expect(JSON.parse(link.stdout)).toEqual({ userId: '7', username: 'Ann', url, validSeconds: 900 });
  });
});
