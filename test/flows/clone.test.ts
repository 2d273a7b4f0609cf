import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newClone } from '../support/clone.ts';

it('npm start runs the bundle of a clone while nothing of it has changed since', async () => {
  const { directory, run } = newClone();
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

it('npm start ends with the shell in which npm runs it, which passes no signal on', async () => {
  const { directory } = newClone();
  const bundle = join(directory, 'dist', 'program');
  mkdirSync(bundle, { recursive: true });
  const program = `process.on('SIGTERM', () => { console.log('stopped'); clearTimeout(timer); });
    const timer = setTimeout(() => {}, 60_000); console.log('started');`;
  writeFileSync(join(bundle, 'launch.js'), program);
  const script = `"${process.execPath}" scripts/clone/start.js; exit`;
  const env = { PATH: process.env['PATH'], npm_lifecycle_event: 'start' };
  const shell = spawn('sh', ['-c', script], { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  shell.stdout.on('data', (data) => {
    if (output === '') shell.kill();
    output += String(data);
  });
  // When the program has ended as well.
  await once(shell.stdout, 'close');
  expect(output).toBe('started\nstopped\n');
});
