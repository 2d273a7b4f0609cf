import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

interface LockedPackage {
  readonly version: string;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  /** A workspace. */
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const { packages }: Lock = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8'));

/** Where a package finds another one: in its own folder, or in one above. */
function locate(name: string, from: string): string {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (from === '' || path in packages) return path;
  const above = from.lastIndexOf('node_modules/');
  return locate(name, above <= 0 ? '' : from.slice(0, above - 1));
}

/** The packages that a user of the package installs, by path. */
function installedByUsers(): [path: string, locked: LockedPackage][] {
  const found = new Map<string, LockedPackage>();
  const visit = (path: string) => {
    const locked = packages[path];
    if (locked === undefined || found.has(path)) return;
    found.set(path, locked);
    const { dependencies, optionalDependencies } = locked;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) visit(locate(name, path));
  };
  visit('');
  found.delete('');
  return [...found];
}

it('names neither packages that run scripts for users nor pre-releases, and no other registry', () => {
  const installed = installedByUsers();
  expect(installed.length).toBeGreaterThan(50);
  expect(installed.map(([path]) => path)).toContain('node_modules/discord.js');
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  expect(installed.filter(([, { version }]) => version.includes('-'))).toEqual([]);
  const hosts = Object.values(packages).flatMap(({ resolved, link }) =>
    resolved === undefined || link ? [] : [new URL(resolved).host],
  );
  expect(hosts.filter((host) => host !== 'registry.npmjs.org')).toEqual([]);
});

it('names one package in a clone that runs a script, which installs Node, and none that is compiled', () => {
  const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(withScript.map(([path]) => path)).toEqual(['node_modules/node']);
  // npm compiles whatever has a binding.gyp, unless it is told not to, which npm 10 cannot be.
  expect(packages).not.toHaveProperty('node_modules/better-sqlite3');
  expect(packages['node_modules/@keyv/sqlite/node_modules/better-sqlite3']).toMatchObject({
    name: '@types/better-sqlite3',
  });
});
