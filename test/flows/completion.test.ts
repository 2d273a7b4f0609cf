import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { launcher } from '../support/start-program.ts';

const directory = mkdtempSync(join(tmpdir(), 'tallyhook-test-'));
writeFileSync(join(directory, 'points.csv'), '');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function printScript(shell: string): string {
  return spawnSync(process.execPath, [launcher, 'completion', shell], { encoding: 'utf8', cwd: directory }).stdout;
}

const hasBash = spawnSync('bash', ['--version']).status === 0;
const bashScript = printScript('bash');

/** What bash offers after these words; the last one is not finished. */
function complete(...words: readonly string[]): string[] {
  const script = `source completion.bash
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tallyhook; printf '%s\\n' "\${COMPREPLY[@]}"`;
  writeFileSync(join(directory, 'completion.bash'), bashScript);
  const args = ['--norc', '-c', script, 'bash', 'tallyhook', ...words];
  const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8', cwd: directory });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

it.skipIf(!hasBash)('bash completes commands, actions, options, their values, and files', () => {
  expect(complete('re')).toEqual(['register', 'rekey', 'restore', 'rewards']);
  expect(complete('')).toEqual(expect.arrayContaining(['completion', 'help', 'import', 'init', 'start', '--version']));
  expect(complete('rewards', '')).toEqual(expect.arrayContaining(['simulate', 'backfill', '--rules']));
  expect(complete('rewards', 'simulate', '--r')).toEqual(['--rules']);
  expect(complete('import', 'p')).toEqual(['points.csv']);
  expect(complete('import', '--d')).toEqual(['--dry-run']);
  expect(complete('import', 'points.csv', '--as', '')).toEqual(['balances', 'votes']);
  expect(complete('export', '--format', 'c')).toEqual(['csv']);
  expect(complete('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
  expect(complete('help', 'im')).toEqual(['import']);
});

it.each([
  ['zsh', /import\) _arguments .*'--as:value:\(balances votes\)'.*'\*:file:_files'/],
  ['fish', /complete -c tallyhook -n '__fish_seen_subcommand_from import' -l as -x -a 'balances votes'/],
])('the script of %s has the commands with their options', (shell, line) => {
  expect(printScript(shell)).toMatch(line);
});

it.skipIf(!hasBash)('every command in the help is completed, and the other way round', () => {
  const { stdout } = spawnSync(process.execPath, [launcher, '--help'], { encoding: 'utf8' });
  const listed = [...stdout.matchAll(/^ {2}tallyhook \[?([a-z]+)/gm)].map(([, name = '']) => name);
  expect(complete('').filter((word) => !word.startsWith('-'))).toEqual([...new Set(listed)].sort());
});
