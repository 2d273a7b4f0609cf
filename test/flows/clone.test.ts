import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

/** A clone with the packages of this one. */
function clone() {
  const directory = tempDir();
  for (const name of ['src', 'commands', 'config', 'scripts', 'package.json', 'tsconfig.json'])
    cpSync(name, join(directory, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  const run = async (script: string, ...args: readonly string[]) => {
    const path = join(directory, 'scripts', 'clone', script);
    return (await promisify(execFile)(process.execPath, [path, ...args], { cwd: directory })).stdout;
  };
  return { directory, run };
}

it('npm start runs the bundle of a clone while nothing of it has changed since', async () => {
  const { directory, run } = clone();
  const version = await run('start.js', '--version');
  expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
  const bundle = join(directory, 'dist', 'program');
  const makeBundle = () => {
    mkdirSync(bundle, { recursive: true });
    writeFileSync(join(bundle, 'launch.js'), `console.log('the bundle', process.argv[2]);`);
  };
  makeBundle();
  expect(await run('start.js', '--version')).toBe('the bundle --version\n');

  const source = join(directory, 'src', 'main.ts');
  // As an archive sets it.
  utimesSync(source, 0, 0);
  expect(await run('start.js', '--version')).toBe(version);
  makeBundle();
  expect(await run('start.js', '--version')).toBe('the bundle --version\n');
  const added = join(directory, 'config', 'added.ts');
  writeFileSync(added, '');
  makeBundle();
  expect(await run('start.js', '--version')).toBe('the bundle --version\n');
  rmSync(added);
  expect(await run('start.js', '--version')).toBe(version);
});

it('npm ci makes the bundle, and no installation fails without it', async () => {
  const { directory, run } = clone();
  await run('prepare.js');
  const bundle = join(directory, 'dist', 'program');
  expect(existsSync(join(bundle, 'launch.js'))).toBe(true);
  expect(existsSync(`${bundle}.unfinished`)).toBe(false);
  const marked = join(bundle, 'marked');
  writeFileSync(marked, '');
  await run('prepare.js');
  expect(existsSync(marked)).toBe(true);

  writeFileSync(join(directory, 'src', 'main.ts'), 'not a program (');
  await run('prepare.js');
  expect(existsSync(marked)).toBe(true);
  expect(existsSync(`${bundle}.unfinished`)).toBe(false);
  await expect(run('start.js', '--version')).rejects.toThrow('main.ts');
});
