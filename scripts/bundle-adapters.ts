import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { notices } from './notices.ts';
import { optional } from './optional.ts';

/** The modules that import the adapters, by their names in the package. */
const input = { 'keyv-sqlite': 'src/lookup/keyv-sqlite.ts', 'keyv-redis': 'src/lookup/keyv-redis.ts' };

/**
 * Bundles the adapters of the cache into `folder`, over their compiled modules. npm applies the `overrides` of this project to this project
 * alone: as dependencies of the package, the adapters would have whoever installs it compile a native driver that is never loaded.
 */
export async function bundleAdapters(folder: string): Promise<void> {
  await build({
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input,
    platform: 'node',
    // The package depends on it: there must be only one in a process.
    external: ['keyv', ...optional],
    onLog: (level, log, handle) => handle(level === 'warn' ? 'error' : level, log),
    plugins: [notices('THIRD-PARTY.txt')],
    output: { dir: folder, comments: { jsdoc: false, annotation: false, legal: true } },
  });
  // Their types name packages that are not installed with this one, and nobody can import them.
  for (const name of Object.keys(input)) await rm(`${folder}/${name}.d.ts`, { force: true });
}
