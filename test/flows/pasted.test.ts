import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { botToken } from '../support/bot-token.ts';
import { runCommand } from '../support/command-line.ts';
import { createDatabaseWithVotes } from '../support/database-with-votes.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';

/* What the command line says of settings and files as people paste and move them. */

describe('a file .env', { timeout: 120_000 }, () => {
  const text = 'DISCORD_TOKEN=hush-hush\nLOOKUP_BASE_URL=https://lists.example\n';
  it.each([
    ['with a byte-order mark', Buffer.from(`\uFEFF${text}`), 'DISCORD_TOKEN has an invalid value'],
    [
      'in UTF-16, as PowerShell writes it',
      Buffer.from(`\uFEFF${text}`, 'utf16le'),
      'DISCORD_TOKEN has an invalid value',
    ],
    ['in UTF-16 without a mark', Buffer.from(text, 'utf16le'), 'DISCORD_TOKEN has an invalid value'],
    [
      'in Windows-1252',
      Buffer.from(`# für\n${text}`, 'latin1'),
      'The file .env in this directory is not UTF-8: line 1',
    ],
  ])('never leads to the sandbox %s', async (_name, content, message) => {
    const directory = tempDir();
    writeFileSync(join(directory, '.env'), content);
    const { code, output } = await runCommand([], {}, directory);
    expect(code).toBe(2);
    expect(output).toContain(message);
    expect(output).not.toContain('sandbox');
    expect(output).not.toContain('hush');
  });

  it('that is a folder is named as one', async () => {
    const directory = tempDir();
    mkdirSync(join(directory, '.env'));
    expect(await runCommand(['config'], {}, directory)).toMatchObject({
      code: 2,
      output: expect.stringContaining('The file .env in this directory is a folder, not a file. Docker creates'),
    });
  });
});

describe('a damaged database', { timeout: 120_000 }, () => {
  it.each([
    ['half a file', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['a file of something else', () => Buffer.from('not a database at all, but a text that is long enough')],
  ])('names the way back, and no permission: %s', async (_name, damage) => {
    const directory = tempDir();
    const path = join(directory, 'tally.db');
    await createDatabaseWithVotes(`sqlite:${path}`, ['80351110224678912']);
    writeFileSync(path, damage(readFileSync(path)));
    const environment = { ...settings(unreachableDiscord), DATABASE_URL: `sqlite:${path}` };
    for (const args of [['start'], ['export'], ['doctor', '--json']]) {
      const { code, output } = await runCommand(args, environment, directory);
      expect({ args, code }).toEqual({ args, code: 1 });
      for (const part of ['tallyhook doctor', 'tallyhook restore', '-wal']) expect(output).toContain(part);
      expect(output).not.toMatch(/must be writable|at .*\.ts:\d/);
    }
    rmSync(path);
    mkdirSync(path);
    expect((await runCommand(['start'], environment, directory)).output).toContain('is a folder, not a file');
  });
});

describe('the address of a PostgreSQL server', { timeout: 120_000 }, () => {
  const environment = {
    DISCORD_TOKEN: botToken,
    LOOKUP_BASE_URL: 'https://lists.example',
    SETTINGS_KEY: 'ab'.repeat(32),
  };

  it('with an unencoded password is refused at the check, without any piece of it', async () => {
    for (const args of [['config', '--check'], ['start'], ['export'], ['backup', 'copy.dump']]) {
      const changes = { DATABASE_URL: 'postgres://me:pa@sswxrd/x@db/tally' };
      const { code, output } = await runCommand(args, { ...environment, ...changes }, tempDir());
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(output).toContain('percent-encoded');
      expect(output).not.toContain('sswxrd');
    }
  });

  it('with sslmode=require prints no warning of the driver', async () => {
    const changes = { DATABASE_URL: 'postgres://me@127.0.0.1:9/tally?sslmode=require' };
    // The driver warns through the process.
    const program = startProgram(['export'], { ...environment, ...changes }, tempDir());
    expect(await program.ended).toBe(1);
    expect(program.output()).toContain('connect ECONNREFUSED 127.0.0.1:9');
    expect(program.output()).not.toMatch(/warning/i);
  });
});

describe('a command without what it needs', { timeout: 120_000 }, () => {
  it('says that --to is missing', async () => {
    const { code, output } = await runCommand(['send', 'vote', '--secret', 'x'], {}, tempDir());
    expect([code, output]).toEqual([2, '--to is missing: the URL of the receiver. See --help.\n']);
  });

  it('says that there are no announcements without a listing', async () => {
    const environment = { DISCORD_TOKEN: botToken, LOOKUP_BASE_URL: 'https://lists.example' };
    const { output } = await runCommand(['announcements', 'preview'], environment, tempDir());
    expect(output).toContain('There is no listing yet: link one with /setup in Discord');
  });
});
