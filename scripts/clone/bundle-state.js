import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

var root = fileURLToPath(new URL('../..', import.meta.url));

/** The program as a bundle, as `npm run build` writes it as well. */
export var bundleFolder = join(root, 'dist', 'program');

/** What the bundle consists of. npm writes the last one whenever it installs packages. */
var parts = [
  'src',
  'commands',
  'config',
  'packages',
  'locales',
  'scripts',
  'package.json',
  join('node_modules', '.package-lock.json'),
];

/**
 * Whether there is a bundle, and nothing that it consists of has changed since. Compares when files were changed on this
 * machine, not when they were written: an archive sets the latter to a time before the bundle.
 */
export function hasCurrentBundle() {
  var launcher = statSync(join(bundleFolder, 'launch.js'), { throwIfNoEntry: false });
  if (launcher === undefined) return false;
  return parts.every((part) => isUnchanged(join(root, part), launcher.ctimeMs));
}

function isUnchanged(path, since) {
  var stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return true;
  if (stats.ctimeMs > since) return false;
  return !stats.isDirectory() || readdirSync(path).every((name) => isUnchanged(join(path, name), since));
}
