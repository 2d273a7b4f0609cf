import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { buildPage } from '../src/sandbox/page/assets.ts';
import { ascii } from './ascii.ts';
import { copyAssetsFlat } from './assets.ts';
import { notices } from './notices.ts';
import { optional } from './optional.ts';

/** Entry points: the program, and the writer thread, which is started by its file name. */
const entries = { launch: 'src/launch.js', 'write-worker': 'src/features/write-worker.ts' };

/** Only installed in the repository, and loaded lazily. */
const installed = ['rolldown'];

/** Contains native code, which cannot be bundled. The program works without it. */
const native = ['@takumi-rs/core'];

/**
 * Bundles the program with its dependencies into `folder`: a few large files instead of hundreds of small ones, which Node would have to
 * find and link at each start. Lazy imports stay in separate files. All files are in one folder, so paths
 * relative to `import.meta.url` work as in the sources of one folder.
 *
 * @param more further entry points, by the names of their files
 */
export async function bundle(folder: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await build({
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input: { ...entries, ...more },
    platform: 'node',
    external: [...installed, ...native, ...optional],
    // discord.js evaluates scripts of a sharding manager, which is not used.
    checks: { eval: false },
    // A warning is an error: an unresolved import would only fail at runtime.
    onLog: (level, log, handle) => handle(level === 'warn' ? 'error' : level, log),
    plugins: [ascii(), notices('THIRD-PARTY.txt')],
    // Node keeps the source text in memory; without comments it is a third smaller.
    output: { dir: folder, comments: { jsdoc: false, annotation: false, legal: true } },
  });
  copyAssetsFlat(folder);
  await buildPage(folder);
}
