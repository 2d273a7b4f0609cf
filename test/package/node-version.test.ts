import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireNode } from '@tallyhook/platform/node-version';
import { expect, it } from 'vitest';

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

it('no dependency refuses a Node that package.json accepts', () => {
  interface Locked extends Record<'dependencies' | 'optionalDependencies', Record<string, string> | undefined> {
    readonly engines?: { readonly node: string };
  }
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const oldest = (range: string) => {
    const [, major = '0', minor = '0'] = /^>=\s*v?(\d+)(?:\.(\d+))?/.exec(range) ?? [];
    return Number(major) * 1_000 + Number(minor);
  };
  const refusing = new Set<string>();
  const visited = new Set<string>();
  const own = oldest(packages['']?.engines?.node ?? '');
  const visit = (path: string): void => {
    const locked = packages[path];
    if (locked === undefined || visited.has(path)) return;
    visited.add(path);
    if (oldest(locked.engines?.node ?? '') > own) refusing.add(`${path} ${locked.engines?.node}`);
    for (const name of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }))
      visit(`${path}/node_modules/${name}` in packages ? `${path}/node_modules/${name}` : `node_modules/${name}`);
  };
  visit('');
  expect(visited).toContain('node_modules/keyv');
  expect([...refusing]).toEqual([]);
});

it('is what the command line says', () => {
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
