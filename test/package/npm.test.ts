import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireNode } from '@tallyhook/platform/node-version';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly version: string;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly engines?: { readonly node: string };
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
  const oldest = ({ engines }: LockedPackage) => {
    const [, major = '0', minor = '0'] = /^>=\s*v?(\d+)(?:\.(\d+))?/.exec(engines?.node ?? '') ?? [];
    return Number(major) * 1_000 + Number(minor);
  };
  const own = oldest(packages[''] ?? { version: '' });
  expect(own).toBeGreaterThan(22_000);
  const refusing = installedByUsers().filter(([, locked]) => oldest(locked) > own);
  expect(refusing.map(([path, { engines }]) => `${path} ${engines?.node}`)).toEqual([]);
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

/** Installs a package that needs another Node, and others, with the settings of npm in this project; returns the output. */
function install(dependencies: Readonly<Record<string, string>>): string {
  const project = tempDir();
  mkdirSync(join(project, 'newer'));
  writeFileSync(
    join(project, 'newer', 'package.json'),
    JSON.stringify({ name: 'newer', version: '1.0.0', engines: { node: '>=999' } }),
  );
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'clone', version: '1.0.0', dependencies: { newer: 'file:newer', ...dependencies } }),
  );
  copyFileSync(join(import.meta.dirname, '..', '..', '.npmrc'), join(project, '.npmrc'));
  // `npm test` passes the settings of this project on as variables, which take precedence.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name));
  const options = { cwd: project, encoding: 'utf8', env: Object.fromEntries(own) } as const;
  const { stdout, stderr } = spawnSync('npm', ['install', '--offline', '--no-audit', '--no-fund'], options);
  return `${stdout}${stderr}`;
}

describe('npm, in a clone', { timeout: 120_000 }, () => {
  it('does not warn of each package that needs a newer Node than that of the machine', () => {
    const output = install({});
    expect(output).toContain('added 1 package');
    expect(output).not.toContain('EBADENGINE');
  });

  it('prints errors', () => {
    expect(install({ missing: 'file:missing.tgz' })).toMatch(/npm error|npm ERR!/);
  });
});

it('npm packs no scripts, workspaces or overrides, of which package managers would warn', { timeout: 120_000 }, () => {
  const clone = tempDir();
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // What npm runs before and after it packs is that of the project, but for the build.
  manifest.scripts.build = 'node --version';
  const text = JSON.stringify(manifest, null, 2);
  writeFileSync(join(clone, 'package.json'), text);
  cpSync(join(root, 'scripts'), join(clone, 'scripts'), { recursive: true });
  mkdirSync(join(clone, 'dist', 'package'), { recursive: true });
  writeFileSync(join(clone, 'dist', 'package', 'index.js'), '');
  execFileSync('npm', ['pack', '--offline'], { cwd: clone, stdio: 'pipe' });

  const args = ['-xzOf', `tallyhook-${manifest.version}.tgz`, 'package/package.json'];
  const packed = JSON.parse(execFileSync('tar', args, { cwd: clone, encoding: 'utf8' }));
  const ofClone = ['scripts', 'workspaces', 'overrides', 'allowScripts', 'devDependencies'];
  expect(packed).toEqual(Object.fromEntries(Object.entries(manifest).filter(([name]) => !ofClone.includes(name))));
  expect(readFileSync(join(clone, 'package.json'), 'utf8')).toBe(text);
});
