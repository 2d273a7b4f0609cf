import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { notices } from './notices.ts';
import { optional } from './optional.ts';

/** The modules that import the adapters. */
const input = { 'keyv-sqlite': 'src/lookup/keyv-sqlite.ts', 'keyv-redis': 'src/lookup/keyv-redis.ts' };

/**
 * Bundles the cache adapters into `folder`, replacing their compiled modules. npm applies `overrides` to this project
 * only: as dependencies of the package, the adapters would make every installation compile a native driver that is never loaded.
 */
export async function bundleAdapters(folder: string): Promise<void> {
  await build({
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input,
    platform: 'node',
    // A dependency of the package: a process must load only one copy.
    external: ['keyv', ...optional],
    onLog: (level, log, handle) => handle(level === 'warn' ? 'error' : level, log),
    plugins: [notices('THIRD-PARTY.txt')],
    output: { dir: folder, comments: { jsdoc: false, annotation: false, legal: true } },
  });
  // Their types reference packages that are not installed, and they are not exported.
  for (const name of Object.keys(input)) await rm(`${folder}/${name}.d.ts`, { force: true });
}
