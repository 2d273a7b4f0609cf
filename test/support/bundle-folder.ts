import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** What test runs leave for the next ones: bundles, each in a folder of its own, and an empty PostgreSQL cluster. */
export const testCache = join(root, 'node_modules', '.cache', 'tallyhook');

/** The folder for the bundle of the present sources, which `bundled-program.ts` creates. */
export function bundleFolder(): string {
  return join(testCache, String(newestChange()));
}

/** When a source was last changed, or a package installed (ms since 1970). */
function newestChange(): number {
  const sources = ['{src,commands,config,locales,scripts}/**/*', 'test/flows/crash/handling-program.ts'];
  const files = globSync([...sources, 'node_modules/.package-lock.json', 'package.json'], { cwd: root });
  return Math.max(...files.map((file) => Math.round(statSync(join(root, file)).mtimeMs)));
}
