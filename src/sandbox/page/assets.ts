import { readdir, readFile } from 'node:fs/promises';
import { pageScript } from './script.ts';

export interface Asset {
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
