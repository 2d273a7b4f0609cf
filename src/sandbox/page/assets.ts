import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleScript, messageStyles, readScript } from '../../discord/web/page-script.ts';

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
  const [code, styles, names] = await Promise.all([readScript(script), readFile(messageStyles), readdir(folder)]);
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
  return new Map([
    ...assets,
    ['/messages.css', { type: types['css'] ?? '', bytes: styles }],
    ['/main.js', { type: types['js'] ?? '', bytes: code }],
  ]);
}

const script = {
  source: new URL('./browser/main.ts', import.meta.url),
  built: new URL('./public/main.js', import.meta.url),
};

/** Copies the page's files and its bundled script into the build output. */
export async function buildPage(folder: string): Promise<void> {
  const target = join(folder, 'public');
  await cp(fileURLToPath(new URL('./public/', import.meta.url)), target, { recursive: true });
  await writeFile(join(target, 'main.js'), await bundleScript(script.source, { minify: true }));
}
