import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { runCommand } from '../support/command-line.ts';

const hasBash = spawnSync('bash', ['--version']).status === 0;

async function printScript(shell: string): Promise<string> {
  return (await runCommand(['completion', shell])).stdout;
}

/** Returns what bash offers after these words, of which the last one is not finished, in a folder with points.csv. */
async function bashCompletion(): Promise<(...words: readonly string[]) => string[]> {
  const directory = tempDir();
  writeFileSync(join(directory, 'points.csv'), '');
  writeFileSync(join(directory, 'completion.bash'), await printScript('bash'));
  const script = `source completion.bash
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tallyhook; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return (...words) => {
    const args = ['--norc', '-c', script, 'bash', 'tallyhook', ...words];
    const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8', cwd: directory });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  };
}

it.skipIf(!hasBash)(
  'bash completes commands, actions, options, their values, and files',
  { timeout: 120_000 },
  async () => {
    const complete = await bashCompletion();
    expect(complete('re')).toEqual(['register', 'rekey', 'restore', 'rewards']);
    expect(complete('')).toEqual(
      expect.arrayContaining(['completion', 'help', 'import', 'init', 'start', '--version']),
    );
    expect(complete('rewards', '')).toEqual(expect.arrayContaining(['simulate', 'reverse', '--rules']));
    expect(complete('rewards', 'simulate', '--ru')).toEqual(['--rules']);
    expect(complete('import', 'p')).toEqual(['points.csv']);
    expect(complete('import', '--dr')).toEqual(['--dry-run']);
    expect(complete('import', 'points.csv', '--as', '')).toEqual(['balances', 'votes']);
    expect(complete('export', '--format', 'c')).toEqual(['csv']);
    expect(complete('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(complete('help', 'im')).toEqual(['import']);
  },
);

it.each([
  ['zsh', /import\) _arguments .*'--as:value:\(balances votes\)'.*'\*:file:_files'/],
  ['fish', /complete -c tallyhook -n '__fish_seen_subcommand_from import' -l as -x -a 'balances votes'/],
])('the script of %s has the commands with their options', async (shell, line) => {
  expect(await printScript(shell)).toMatch(line);
});

it.skipIf(!hasBash)('every command in the help is completed, and the other way round', async () => {
  const complete = await bashCompletion();
  const { stdout } = await runCommand(['--help']);
  const listed = [...stdout.matchAll(/^ {2}tallyhook \[?([a-z]+)/gm)].map(([, name = '']) => name);
  expect(complete('').filter((word) => !word.startsWith('-'))).toEqual([...new Set(listed)].sort());
});
