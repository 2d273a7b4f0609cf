import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { InstalledPackage } from './install.ts';

/** The files of an installation, and those of the package alone (bytes). */
const maxInstalledBytes = 60_000_000;
const maxUnpackedBytes = 8_000_000;

/** What an installation brings along: nothing compiled or twice, no scripts, no pre-releases, ranges, and its size. */
export function checkDependencies({ project }: InstalledPackage): string {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const installed: [string, { version?: string; hasInstallScript?: boolean }][] = Object.entries(packages);
  // The package that draws pictures is optional, and comes compiled.
  const compiled = globSync('**/*.node', { cwd: project }).filter((path) => !path.includes('@takumi-rs'));
  assert(compiled.length === 0, `native code was installed: ${compiled.join(', ')}`);
  const scripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  assert(scripts.length === 0, `packages run scripts when they are installed: ${scripts.join(', ')}`);
  const early = installed.filter(([, { version }]) => version?.includes('-')).map(([path]) => path);
  assert(early.length === 0, `pre-releases are installed: ${early.join(', ')}`);
  assert(packages['node_modules/node'] === undefined, 'it brings its own Node along, which is for clones');

  const manifest = JSON.parse(readFileSync(join(project, 'node_modules/tallyhook/package.json'), 'utf8'));
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const ranges = Object.entries<string>({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  const exact = ranges.filter(([, range]) => !/^[\^>]/.test(range)).map(([name]) => name);
  assert(exact.length === 0, `users could not update: ${exact.join(', ')}`);
  // Without peers, as with --legacy-peer-deps, everything but traces works.
  assert(dependencies['discord.js'] !== undefined, 'discord.js is not a dependency');
  assert.deepEqual(Object.keys(peerDependencies), ['@opentelemetry/api']);

  const notices = readFileSync(join(project, 'node_modules/tallyhook/dist/package/THIRD-PARTY.txt'), 'utf8');
  const bundled = [...notices.matchAll(/^(\S+) \d\S* \(.*\)$/gm)].map(([, name = '']) => name);
  assert(bundled.includes('csv-parse'), 'THIRD-PARTY.txt does not name the bundled packages');
  const twice = bundled.filter((name) => Object.hasOwn({ ...dependencies, ...peerDependencies }, name));
  assert(twice.length === 0, `bundled and installed as well: ${twice.join(', ')}`);

  const unpacked = checkBytes(join(project, 'node_modules', 'tallyhook'), maxUnpackedBytes);
  const all = checkBytes(join(project, 'node_modules'), maxInstalledBytes);
  return `${installed.length - 1} packages, ${all} bytes, of which the package has ${unpacked}; nothing compiled`;
}

/** Returns the size of all files in the folder. @throws AssertionError if it is more than `max` */
function checkBytes(folder: string, max: number): number {
  const bytes = globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  assert(bytes <= max, `${folder} takes ${bytes} bytes, more than ${max}`);
  return bytes;
}
