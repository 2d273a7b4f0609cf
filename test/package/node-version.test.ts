import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { requireNode } from '../../src/platform/node-version.ts';

const root = join(import.meta.dirname, '..', '..');

it.each(['18.20.8', '20.20.2', '22.17.1'])('a function of the package says that Node %s is too old', (version) => {
  expect(() => requireNode(version)).toThrow(
    expect.objectContaining({
      code: 'node_too_old',
      message: `tallyhook needs Node 22.18 or newer, and this is ${version}.`,
    }),
  );
});

it.each(['22.18.0', '22.23.3', '24.0.0', '26.9.0'])('and runs on Node %s', (version) => {
  expect(() => requireNode(version)).not.toThrow();
});

it('is what package.json says, and the command line', () => {
  expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines).toEqual({ node: '>=22.18' });
  const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.17.1' } })";
  const args = ['--import', `data:text/javascript,${old}`, join(root, 'src', 'launch.js'), '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    'tallyhook needs Node 22.18 or newer, and this is 22.17.1. Install a current version from https://nodejs.org. ' +
      'A clone brings its own: "npm ci && npm start".\n',
  );
});

it('can be imported where Node has no SQLite, so that its functions can say what they need', () => {
  const entry = JSON.stringify(join(root, 'src', 'exports', 'sandbox.ts'));
  const args = ['--no-experimental-sqlite', '--input-type=module', '--eval', `await import(${entry})`];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
