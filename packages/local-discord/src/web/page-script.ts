import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@tallyhook/platform/errors';
import { LocalDiscordError } from '../errors.ts';

/** The colors of messages, and their parts that are not components: of elements within one of the class `discord`. */
export const messageStyles = (): URL => new URL('./messages.css', import.meta.url);

/**
 * The script of a page that shows Discord's messages: a module for browsers. Functions, because a bundle of CommonJS has no
 * `import.meta.url`.
 */
export interface PageScript {
  /** The source of the script: `new URL('./browser/main.ts', import.meta.url)`. */
  source(): URL;
  /** Written by `npm run build`: exists in the package and the image, not in the repository. */
  built(): URL;
}

/** The script that built scripts share: they import it from beside them. Null in the repository. */
export function readSharedScript(): Promise<string | null> {
  return readFile(new URL('./public/messages.js', import.meta.url), 'utf8').catch(() => null);
}

/**
 * The package and the image contain the built script, since they have no bundler; in the repository it is bundled
 * in memory (100 ms).
 *
 * @throws LocalDiscordError `page_not_bundled` if neither works
 */
export async function readScript({ source, built }: PageScript): Promise<string> {
  const known = await readFile(built(), 'utf8').catch(() => null);
  return known ?? (await bundleScripts({ main: source() }, { minify: false })).get('main.js') ?? '';
}

/**
 * Bundles scripts and their imports into modules, which need no inline styles: one for each, `messages.js` for what all of
 * them share, and `page.js` for what those of one page share.
 *
 * @param sources by name
 * @returns by the name of the file
 * @throws LocalDiscordError `page_not_bundled`
 */
export async function bundleScripts(
  sources: Readonly<Record<string, URL>>,
  { minify }: { readonly minify: boolean },
): Promise<ReadonlyMap<string, string>> {
  try {
    const { build } = await import('rolldown');
    const styleMap = fileURLToPath(new URL('./browser/style-map.ts', import.meta.url));
    const messages = fileURLToPath(new URL('./browser/message.ts', import.meta.url));
    const { output } = await build({
      input: Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, fileURLToPath(source)])),
      platform: 'browser',
      tsconfig: false,
      write: false,
      // package.json says that imports have no effect; the components read what one of them sets.
      treeshake: { moduleSideEffects: () => true },
      resolve: { alias: { 'lit/directives/style-map.js': styleMap } },
      output: {
        minify,
        entryFileNames: '[name].js',
        chunkFileNames: ({ moduleIds }) => (moduleIds.includes(messages) ? 'messages.js' : 'page.js'),
      },
    });
    return new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code]] : [])));
  } catch (cause) {
    throw new LocalDiscordError('page_not_bundled', `The script of the page cannot be bundled: ${messageOf(cause)}.`, {
      cause,
      hint: 'Run "npm ci" to install the bundler.',
    });
  }
}
