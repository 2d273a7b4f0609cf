import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { buildPage } from '../src/sandbox/page/script.ts';
import { ascii } from './ascii.ts';
import { notices } from './notices.ts';
import { optional } from './optional.ts';

/** Each has a file under its own name: what is run, and the thread that is started by its address. */
const input = { launch: 'src/launch.js', 'write-worker': 'src/store/commits/write-worker.ts' };

/** A tool that only the repository has. Node looks for it when it is asked for. */
const installed = ['rolldown'];

/**
 * Puts the whole program with its packages into `folder`, as a few large files instead of hundreds of small ones, which Node would have to
 * find and link at each start. What is imported lazily stays in a file of its own. All lie beside each other, so that an address
 * relative to `import.meta.url` holds as it does in the sources of the same room.
 */
export async function bundle(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await build({
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input,
    platform: 'node',
    external: [...installed, ...optional],
    // discord.js evaluates scripts that a manager of shards sends; there is none here.
    checks: { eval: false },
    // A warning is a fault: an import that was not found would only be missed by whoever runs it.
    onLog: (level, log, handle) => handle(level === 'warn' ? 'error' : level, log),
    plugins: [ascii(), notices('THIRD-PARTY.txt')],
    // Node keeps the text of what it runs in memory; without comments it is two thirds.
    output: { dir: folder, comments: { jsdoc: false, annotation: false, legal: true } },
  });
  await buildPage(folder);
}
