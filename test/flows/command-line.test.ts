import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { launcher, sourceLauncher, startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Runs the program until it exits. */
async function run(args: readonly string[], environment: Record<string, string> = {}, cwd = tempDir()) {
  const { ended, output } = startProgram(args, environment, cwd);
  return { code: await ended, output: output() };
}

/** Runs a Bash script in which the function `tallyhook` starts the program. */
function shell(script: string, environment: Record<string, string> = {}) {
  const env = { PATH: process.env['PATH'] ?? '', NODE: process.execPath, LAUNCHER: launcher, ...environment };
  const all = `set -o pipefail; tallyhook() { "$NODE" "$LAUNCHER" "$@"; }; ${script}`;
  return spawnSync('bash', ['--norc', '-c', all], { env, cwd: tempDir(), encoding: 'utf8', timeout: 30_000 });
}

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
    const runs = commands.map(async ([args, environment]) => ({ args, ...(await run(args, environment, folder)) }));
    for (const { args, code, output } of await Promise.all(runs)) {
      expect({ args, code, output }).toMatchObject({
        code: 1,
        output: expect.not.stringMatching(/^\s+at |Open {2}http/m),
      });
      expect(output.trim().split('\n')).toHaveLength(1);
    }
  });

  it('for the cache only disables the cache, and the program still stops', async () => {
    const running = startProgram(
      ['start'],
      { ...settings(unreachableDiscord), CACHE_URL: 'sqlite:/proc/none/x' },
      tempDir(),
    );
    await running.url();
    expect(running.output()).toContain('it is in memory until the next start');
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });
});

describe('a closed output pipe', { timeout: 60_000 }, () => {
  it.each(['--help', 'sandbox --help', 'config', 'config --schema', 'nonsense 2>&1', 'doctor --json'])(
    'is not an error: tallyhook %s | true',
    (command) => {
      const { stderr } = shell(`tallyhook ${command} | true`);
      expect(stderr).not.toMatch(/EPIPE|^\s+at /m);
    },
  );

  it('does not change the exit code', () => {
    expect(shell('tallyhook --help | true').status).toBe(0);
    expect(shell('tallyhook nonsense 2>&1 | true').status).toBe(2);
  });

  it('does not stop a receiver', async () => {
    const running = startProgram(['start'], settings(unreachableDiscord), tempDir());
    const url = await running.url();
    running.process.stdout?.destroy();
    running.process.stderr?.destroy();
    for (let turn = 0; turn < 3; turn += 1) await fetch(`${url}/webhooks/vote`, { method: 'POST', body: '{}' });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });

  it('is handled differently from a full disk', () => {
    const { status, stderr } = shell('tallyhook --help > /dev/full');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^The output cannot be written: ENOSPC.*\n$/);
  });
});

describe('the page of the sandbox', { timeout: 60_000 }, () => {
  it('is not announced if its script cannot be bundled', async () => {
    const hook = `
      import { registerHooks } from 'node:module';
      registerHooks({
        resolve: (name, context, next) => {
          if (name === 'rolldown') throw new Error('no bundler is installed');
          return next(name, context);
        },
      });`;
    const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
    const args = ['sandbox', '--no-open', '--port', '0'];
    // A bundle has the script already.
    const { ended, output } = startProgram(args, environment, tempDir(), [], sourceLauncher);
    const code = await ended;
    expect(output()).toMatch(/^The script of the page cannot be bundled: no bundler is installed\..*\n$/);
    expect(code).toBe(1);
  });
});

describe('an unknown word', { timeout: 60_000 }, () => {
  it.each([
    [['docter'], 'Unknown command "docter". Did you mean doctor?'],
    [['hlep'], 'Unknown command "hlep". Did you mean help?'],
    [['completion', 'powershell'], 'Unknown shell "powershell": there are bash, zsh and fish.'],
    [['help', 'bakcup'], 'Unknown command "bakcup". Did you mean backup?'],
    [['sandbox', '--prot', '1'], "Unknown option '--prot'. Did you mean --port?"],
    [['export', '--fromat=csv'], "Unknown option '--fromat'. Did you mean --format?"],
    [['service', 'add-listig'], 'Unknown command "service add-listig". Did you mean add-listing?'],
    [['send', 'votes'], 'Did you mean vote?'],
    [['frobnicate'], 'Unknown command "frobnicate". See --help.'],
  ])('%j: %s', async (args, sentence) => {
    const { code, output } = await run(args);
    expect(output).toContain(sentence);
    expect(code).toBe(2);
  });

  it('is also reported in the names of settings', async () => {
    const environment = { VOTE_WEBHOOK_SECERT: 'hush' };
    const config = await run(['config'], environment);
    const sentence = 'VOTE_WEBHOOK_SECERT is not a setting of tallyhook.';
    expect(config).toMatchObject({
      code: 0,
      output: expect.stringContaining(`${sentence} Did you mean VOTE_WEBHOOK_SECRET?`),
    });
    const running = startProgram(['start'], { ...settings(unreachableDiscord), ...environment }, tempDir());
    await running.url();
    await vi.waitFor(() => expect(running.output()).toContain(sentence), { timeout: 5_000 });
    const doctor = await run(['doctor'], { ...settings(unreachableDiscord), ...environment });
    expect(doctor.output).toContain(`! configuration  ${sentence}\n`);
    expect(`${config.output}${running.output()}${doctor.output}`).not.toContain('hush');
  });
});

describe('help', { timeout: 60_000 }, () => {
  it.each([
    'sandbox',
    'service',
    'send',
    'register',
    'config',
    'announcements',
    'doctor',
    'backup',
    'restore',
    'export',
  ])('describes the command %s', async (verb) => {
    const [{ code, output }, other] = await Promise.all([run(['help', verb]), run([verb, '--help'])]);
    expect(code).toBe(0);
    expect(output).toMatch(new RegExp(`^tallyhook ${verb}: [a-z]`));
    for (const part of ['\n\nUsage\n', '\n\nOptions\n', '--help', '\n\nExit codes: 0 ']) expect(output).toContain(part);
    expect(output).toBe(other.output);
  });
});

describe('the log', { timeout: 60_000 }, () => {
  it('is JSON in a pipe, and readable lines with LOG_FORMAT=pretty', async () => {
    const environment = { ...settings(unreachableDiscord), CACHE_URL: 'sqlite:/proc/none/x' };
    const json = startProgram(['start'], environment, tempDir());
    await json.url();
    for (const line of json.output().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');

    const pretty = startProgram(['start'], { ...environment, LOG_FORMAT: 'pretty' }, tempDir());
    await vi.waitFor(() => expect(pretty.output()).toContain('receiving webhooks'), { timeout: 20_000 });
    expect(pretty.output()).toMatch(
      /^\d\d:\d\d:\d\d WARN {2}the cache cannot be opened; it is in memory until the next start reason="ENOENT.*"$/m,
    );
  });
});
