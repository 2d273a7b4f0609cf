import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { messageOf, TallyhookError } from '../../platform/errors.ts';

/** Where `npm run build` leaves it: in the package and the image, never in the repository. */
const builtScript = new URL('./public/main.js', import.meta.url);

/**
 * The page's script. The package and the image carry it, since they have no bundler; the repository needs no build, so there it is
 * bundled in memory, which takes a moment (100 ms).
 *
 * @throws TallyhookError `page_not_bundled` where neither can be done
 */
export async function pageScript(): Promise<string> {
  return (await readFile(builtScript, 'utf8').catch(() => null)) ?? bundledScript({ minify: false });
}

/** One module of browser/ and of all that it imports. @throws TallyhookError `page_not_bundled` */
export async function bundledScript({ minify }: { minify: boolean }): Promise<string> {
  try {
    const { build } = await import('rolldown');
    const input = fileURLToPath(new URL('./browser/main.ts', import.meta.url));
    const { output } = await build({ input, platform: 'browser', write: false, output: { minify } });
    return output[0].code;
  } catch (cause) {
    throw new TallyhookError('page_not_bundled', `The script of the page cannot be bundled: ${messageOf(cause)}.`, {
      cause,
      hint: 'Run "npm ci", which installs the bundler.',
    });
  }
}
