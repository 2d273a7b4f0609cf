import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InstalledPackage } from './install.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** publint and "Are the types wrong?" on the packed package. The package has ES modules only, which Node 24 can require. */
export function lintPackage({ archive }: InstalledPackage): string {
  const run = (path: string, ...args: readonly string[]) =>
    execFileSync(process.execPath, [join(root, 'node_modules', path), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  run('publint/src/cli.js', archive, '--strict');
  run('@arethetypeswrong/cli/dist/index.js', archive, '--profile', 'esm-only', '--format', 'ascii');
  return 'publint and attw report nothing';
}
