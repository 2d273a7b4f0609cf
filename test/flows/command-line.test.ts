import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, vi } from 'vitest';
import { runCommand } from '../support/command-line.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { launcher, startProgram } from '../support/start-program.ts';

const waitOptions = { timeout: 60_000, interval: 25 };

describe('a path that cannot be used', { timeout: 120_000 }, () => {
  /** A directory with a file, a directory in place of a database, and a dangling link. */
  function paths() {
    const folder = tempDir();
    writeFileSync(join(folder, 'file'), 'text');
    mkdirSync(join(folder, 'service.db'));
    symlinkSync('/nowhere/at/all', join(folder, 'dangling'));
    return { folder, all: ['/proc/none/x', join(folder, 'file', 'x'), join(folder, 'dangling', 'x')] };
  }

  it('makes every command exit with 1 and a one-line error', async () => {
    const { folder, all } = paths();
    const commands = all.flatMap((path): [args: string[], environment: Record<string, string>][] => [
      [['start'], { ...settings(unreachableDiscord), DATABASE_URL: `sqlite:${path}` }],
      [['backup', 'copy.db'], { DATABASE_URL: `sqlite:${path}` }],
      [['restore', join(folder, 'file')], { DATABASE_URL: `sqlite:${path}` }],
      [['export'], { DATABASE_URL: `sqlite:${path}` }],
      [['service', '--database', `sqlite:${path}`, '--port', '0'], {}],
      [['sandbox', '--no-open', '--port', '0', '--data', path], {}],
      [['sandbox', '--no-open', '--port', '0', '--fresh', '--data', path], {}],
    ]);
    commands.push([['sandbox', '--no-open', '--port', '0', '--data', folder], {}]);
    commands.push([['send', 'vote', '--to', 'http://127.0.0.1:9', '--secret-file', folder], {}]);
    for (const [args, environment] of commands) {
      const { code, output } = await runCommand(args, environment, folder);
      expect({ args, code, output }).toMatchObject({
        code: 1,
        output: expect.not.stringMatching(/^\s+at |Open {2}http/m),
      });
      expect(output.trim().split('\n')).toHaveLength(1);
    }
  });
});

describe('a started program', { timeout: 120_000 }, () => {
  it('writes its log as JSON into a pipe, needs no cache, and survives that its output is closed', async () => {
    const changes = { CACHE_URL: 'sqlite:/proc/none/x', VOTE_WEBHOOK_SECERT: 'hush' };
    const running = startProgram(['start'], { ...settings(unreachableDiscord), ...changes }, tempDir());
    const url = await running.url();
    await vi.waitFor(() => {
      expect(running.output()).toContain('it is in memory until the next start');
      expect(running.output()).toContain('VOTE_WEBHOOK_SECERT is not a setting of tallyhook.');
    }, waitOptions);
    for (const line of running.output().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
    expect(running.output()).not.toContain('hush');

    running.process.stdout?.destroy();
    running.process.stderr?.destroy();
    // Each rejection is logged, and a response comes after that.
    for (let turn = 0; turn < 5; turn += 1) await fetch(`${url}/webhooks/vote`, { method: 'POST', body: '{}' });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });

  it('writes readable lines with LOG_FORMAT=pretty', async () => {
    const changes = { CACHE_URL: 'sqlite:/proc/none/x', LOG_FORMAT: 'pretty' };
    const { output } = startProgram(['start'], { ...settings(unreachableDiscord), ...changes }, tempDir());
    await vi.waitFor(() => expect(output()).toContain('receiving webhooks'), waitOptions);
    expect(output()).toMatch(
      /^\[\d\d:\d\d:\d\d\] WARN: the cache cannot be opened; it is in memory until the next start \{"reason":"ENOENT.*"\}$/m,
    );
  });
});

it('a closed output pipe is not an error, unlike a full disk', { timeout: 120_000 }, () => {
  const script = `set -o pipefail; tallyhook() { "$NODE" "$LAUNCHER" "$@"; }
    tallyhook config --schema | true; echo $?
    tallyhook nonsense 2>&1 | true; echo $?
    tallyhook --help 2>&1 > /dev/full; echo $?`;
  const env = { PATH: process.env['PATH'] ?? '', NODE: process.execPath, LAUNCHER: launcher };
  const options = { env, cwd: tempDir(), encoding: 'utf8' } as const;
  const output = execFileSync('bash', ['--norc', '-c', `exec 2>&1; ${script}`], options);
  expect(output).toMatch(/^0\n2\nThe output cannot be written: ENOSPC.*\n1\n$/);
});

describe('an unknown word', { timeout: 120_000 }, () => {
  it.each([
    [['docter'], "Unknown command 'docter'. Did you mean doctor?"],
    [['help', 'bakcup'], 'Usage: tallyhook'],
    [['sandbox', '--prot', '1'], "Unknown option '--prot'. Did you mean --port?"],
    [['service', 'add-listig'], "Unknown command 'add-listig'. Did you mean add-listing?"],
    [['send', 'votes'], 'Allowed choices are vote, bot-vote, premium, test.'],
    [['export', '--out', '--json'], "Option '--out <file>' argument missing. See --help."],
    [['frobnicate'], "Unknown command 'frobnicate'. See --help."],
  ])('%j: %s', async (args, sentence) => {
    const { code, stderr } = await runCommand(args);
    expect(stderr).toContain(sentence);
    expect(code).toBe(2);
  });
});

describe('help', { timeout: 120_000 }, () => {
  it('describes each command at most 80 columns wide, with its options and exit codes', async () => {
    const all = await runCommand(['--help']);
    expect(all.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const names = [...all.stdout.matchAll(/^ {2}([a-z]+)(?= )/gm)].map(([, name = '']) => name);
    expect(names).toEqual(expect.arrayContaining(['start', 'sandbox', 'doctor', 'export', 'import', 'help']));
    for (const name of names.filter((each) => each !== 'help')) {
      const { code, stdout } = await runCommand(['help', name]);
      expect({ name, code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Usage: tallyhook .*-h, --help/s),
      });
      expect((await runCommand([name, '--help'])).stdout).toBe(stdout);
      expect({ name, long: stdout.split('\n').filter((line) => line.length > 80 && line.includes(', ')) }).toEqual({
        name,
        long: [],
      });
    }
  });

  it('describes itself as all commands', async () => {
    const all = await runCommand(['--help']);
    expect(await runCommand(['help'])).toEqual(all);
  });
});
