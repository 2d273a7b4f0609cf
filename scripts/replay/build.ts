import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPageFiles } from 'local-discord/page';
import { build } from 'rolldown';
import { sandboxFace } from '../../src/sandbox/page/sandbox-page.ts';
import type { Recording } from './recording.ts';

const browser = join(import.meta.dirname, 'browser');

const banner = `<aside class="replay" aria-label="About this page">
      <span class="replay-notice" role="status">A recording of the sandbox, as mira sees it: no server, no account. Vote, and type commands.</span>
      <button type="button" class="replay-again">Start again</button>
      <a href="https://github.com/tallyhook/tallyhook#try-it">Run it yourself</a>
    </aside>
    `;

/** What differs from the sandbox's page: relative addresses for any folder of any host, the banner, and no console. */
const changes: readonly (readonly [from: RegExp, to: string])[] = [
  [/ (href|src)="\/([\w.-]+\.\w+)"/g, ' $1="$2"'],
  [/<title>.*<\/title>/, '<title>tallyhook, try it</title>'],
  [/ *<script /, '    <link rel="stylesheet" href="replay.css" />\n$&'],
  [/(?<=<body>\s+<a [^\n]+\n\s+)(?=<div class="app")/, banner],
  [/ *<a href="\/console".*\n/, ''],
  [/, which is served from this machine/, ''],
];

/** Writes the page of the sandbox with a recording in the place of its server. @param folder is created */
export async function buildReplay(folder: string, recording: Recording): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [files, { output }] = await Promise.all([
    readPageFiles(sandboxFace),
    build({
      input: join(browser, 'main.ts'),
      platform: 'browser',
      write: false,
      // package.json says that imports have no effect.
      treeshake: { moduleSideEffects: () => true },
      output: { minify: true },
    }),
    cp(join(browser, 'replay.css'), join(folder, 'replay.css')),
  ]);
  for (const [path, { bytes }] of files) {
    if (path === '/') await writeFile(join(folder, 'index.html'), changes.reduce(change, String(bytes)));
    else await writeFile(join(folder, path), bytes);
  }
  await writeFile(join(folder, 'main.js'), output[0].code);
  await writeFile(join(folder, 'recording.json'), JSON.stringify(recording));
}

function change(html: string, [from, to]: (typeof changes)[number]): string {
  const changed = html.replace(from, to);
  if (changed === html) throw new Error(`The page of the sandbox has no ${from.source}.`);
  return changed;
}
