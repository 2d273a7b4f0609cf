import { cp, readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { messageStyles, readScript } from 'local-discord/web/page-script';

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
  const [code, styles, names] = await Promise.all([readScript(pageScript), readFile(messageStyles()), readdir(folder)]);
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

export const pageScript = {
  source: () => new URL('./browser/main.ts', import.meta.url),
  built: () => new URL('./public/main.js', import.meta.url),
};

/** Copies the page's files other than scripts into a folder. */
export async function copyPage(folder: string): Promise<void> {
  await cp(fileURLToPath(new URL('./public/', import.meta.url)), folder, { recursive: true });
}
