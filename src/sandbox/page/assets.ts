import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, TallyhookError } from '../../platform/errors.ts';

interface Asset {
  readonly type: string;
  readonly bytes: Buffer | string;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * The page's files by URL path. They are read once, so a request path never reaches the file system.
 *
 * @throws TallyhookError `page_not_bundled`
 */
export async function readAssets(): Promise<ReadonlyMap<string, Asset>> {
  const folder = new URL('./public/', import.meta.url);
  const [script, names] = await Promise.all([pageScript(), readdir(folder)]);
  const files = names.flatMap((name) => {
    const type = types[name.split('.').at(-1) ?? ''];
    return type === undefined ? [] : [{ name, type }];
  });
  const assets = await Promise.all(
    files.map(async ({ name, type }): Promise<[string, Asset]> => {
      const bytes = await readFile(new URL(name, folder));
      return [name === 'index.html' ? '/' : `/${name}`, { type, bytes }];
    }),
  );
  return new Map([...assets, ['/main.js', { type: types['js'] ?? '', bytes: script }]]);
}

/** Written by `npm run build`: exists in the package and the image, not in the repository. */
const builtScript = () => new URL('./public/main.js', import.meta.url);

/**
 * The page's script. The package and the image contain the built script, since they have no bundler; in the repository it is bundled
 * in memory (100 ms).
 *
 * @throws TallyhookError `page_not_bundled` if neither works
 */
async function pageScript(): Promise<string> {
  return (await readFile(builtScript(), 'utf8').catch(() => null)) ?? bundledScript({ minify: false });
}

/** Bundles browser/main.ts and its imports into one module. @throws TallyhookError `page_not_bundled` */
async function bundledScript({ minify }: { minify: boolean }): Promise<string> {
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
