import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { runCommand } from '../support/command-line.ts';
import { launcher } from '../support/start-program.ts';

const hasBash = spawnSync('bash', ['--version']).status === 0;

async function printScript(shell: string): Promise<string> {
  return (await runCommand(['completion', shell])).stdout;
}

/** Returns what bash offers after these words, of which the last one is not finished. */
async function bashCompletion(): Promise<(...words: readonly string[]) => string[]> {
  const directory = tempDir();
  writeFileSync(join(directory, 'completion.bash'), await printScript('bash'));
  const script = `source completion.bash
    tallyhook() { "$NODE" "$LAUNCHER" "$@"; }
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tallyhook; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return (...words) => {
    const args = ['--norc', '-c', script, 'bash', 'tallyhook', ...words];
    const env = { ...process.env, NODE: process.execPath, LAUNCHER: launcher };
    const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8', cwd: directory, env });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  };
}

it.skipIf(!hasBash)('bash completes commands, options and their values', { timeout: 120_000 }, async () => {
  const complete = await bashCompletion();
  expect(complete('re')).toEqual(['register', 'restore', 'rewards', 'rekey']);
  expect(complete('')).toEqual(expect.arrayContaining(['completion', 'help', 'import', 'init', 'start', '--version']));
  expect(complete('rewards', '')).toEqual(expect.arrayContaining(['simulate', 'reverse']));
  expect(complete('rewards', 'simulate', '--ru')).toEqual(['--rules']);
  // Without words, bash completes files itself.
  expect(complete('import', 'p')).toEqual([]);
  expect(complete('import', '--dr')).toEqual(['--dry-run']);
  expect(complete('import', 'points.csv', '--as', '')).toEqual(['balances', 'votes']);
  expect(complete('export', '--format', 'c')).toEqual(['csv']);
  expect(complete('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish', 'powershell']));
  expect(complete('help', 'im')).toEqual(['import']);
});

it.each(['zsh', 'fish', 'powershell'])('the script of %s asks the program', async (shell) => {
  expect(await printScript(shell)).toMatch(/tallyhook complete '?--/);
});
