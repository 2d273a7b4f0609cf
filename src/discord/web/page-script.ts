import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { messageOf, TallyhookError } from '../../platform/errors.ts';

/** The colors of messages, and their parts that are not components: of elements within one of the class `discord`. */
export const messageStyles = new URL('./messages.css', import.meta.url);

/** The script of a page that shows Discord's messages: a module for browsers. */
export interface PageScript {
  /** Its source: `new URL('./browser/main.ts', import.meta.url)`. */
  readonly source: URL;
  /** Written by `npm run build`: exists in the package and the image, not in the repository. */
  readonly built: URL;
}

/**
 * The package and the image contain the built script, since they have no bundler; in the repository it is bundled
 * in memory (100 ms).
 *
 * @throws TallyhookError `page_not_bundled` if neither works
 */
export async function readScript({ source, built }: PageScript): Promise<string> {
  return (await readFile(built, 'utf8').catch(() => null)) ?? bundleScript(source, { minify: false });
}

/** Bundles a script and its imports into one module, which needs no inline styles. @throws TallyhookError `page_not_bundled` */
export async function bundleScript(source: URL, { minify }: { minify: boolean }): Promise<string> {
  try {
    const { build } = await import('rolldown');
    const styleMap = fileURLToPath(new URL('./browser/style-map.ts', import.meta.url));
    const { output } = await build({
      input: fileURLToPath(source),
      platform: 'browser',
      write: false,
      resolve: { alias: { 'lit/directives/style-map.js': styleMap } },
      output: { minify },
    });
    return output[0].code;
  } catch (cause) {
    throw new TallyhookError('page_not_bundled', `The script of the page cannot be bundled: ${messageOf(cause)}.`, {
      cause,
      hint: 'Run "npm ci" to install the bundler.',
    });
  }
}
