import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { testCache } from '@tallyhook/platform/testing/test-cache';

const root = join(import.meta.dirname, '..', '..');

/** The folder for the bundle of the present sources, which `bundled-program.ts` creates. */
export function bundleFolder(): string {
  return join(testCache, String(newestChange()));
}

/** When a source was last changed, or a package installed (ms since 1970). */
function newestChange(): number {
  const sources = [
    '{src,commands,config,locales,scripts,packages/*/{src,locales}}/**/*',
    'test/flows/crash/handling-program.ts',
  ];
  const files = globSync([...sources, 'node_modules/.package-lock.json', 'package.json'], { cwd: root });
  return Math.max(...files.map((file) => Math.round(statSync(join(root, file)).mtimeMs)));
}
