import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, TallyhookError } from '../../platform/errors.ts';

/** Written by `npm run build`: exists in the package and the image, not in the repository. */
const builtScript = new URL('./public/main.js', import.meta.url);

/**
 * The page's script. The package and the image contain the built script, since they have no bundler; in the repository it is bundled
 * in memory (100 ms).
 *
 * @throws TallyhookError `page_not_bundled` if neither works
 */
export async function pageScript(): Promise<string> {
  return (await readFile(builtScript, 'utf8').catch(() => null)) ?? bundledScript({ minify: false });
}

/** Bundles browser/main.ts and its imports into one module. @throws TallyhookError `page_not_bundled` */
export async function bundledScript({ minify }: { minify: boolean }): Promise<string> {
  try {
    const { build } = await import('rolldown');
    const input = fileURLToPath(new URL('./browser/main.ts', import.meta.url));
    const { output } = await build({ input, platform: 'browser', write: false, output: { minify } });
    return output[0].code;
  } catch (cause) {
    throw new TallyhookError('page_not_bundled', `The script of the page cannot be bundled: ${messageOf(cause)}.`, {
      cause,
      hint: 'Run "npm ci" to install the bundler.',
    });
  }
}

/** Copies the page's files and its bundled script into the build output. */
export async function buildPage(folder: string): Promise<void> {
  const target = join(folder, 'public');
  await cp(fileURLToPath(new URL('./public/', import.meta.url)), target, { recursive: true });
  await writeFile(join(target, 'main.js'), await bundledScript({ minify: true }));
}
