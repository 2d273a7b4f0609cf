import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
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
 * Why the bundle cannot be used, which ends a sentence; null if there is one, and nothing that it consists of has changed
 * since. Compares when files were changed on this machine, not when they were written: an archive sets the latter to a time
 * before the bundle.
 */
export function findChange() {
  var launcher = statSync(join(bundleFolder, 'launch.js'), { throwIfNoEntry: false });
  if (launcher === undefined) return 'there is no bundle';
  for (var part of parts) {
    var changed = changedIn(join(root, part), launcher.ctimeMs);
    if (changed !== null) return relative(root, changed) + ' has changed';
  }
  return null;
}

function changedIn(path, since) {
  var stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isDirectory()) {
    for (var name of readdirSync(path)) {
      var changed = changedIn(join(path, name), since);
      if (changed !== null) return changed;
    }
  }
  return stats.ctimeMs > since ? path : null;
}
