import { readdir, readFile } from 'node:fs/promises';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The page's own files by the path under which they are served. They are read once; no path ever reaches the disk. */
export async function readAssets(): Promise<ReadonlyMap<string, Asset>> {
  const folder = new URL('./public/', import.meta.url);
  const assets = new Map<string, Asset>();
  for (const name of await readdir(folder)) {
    const type = types[name.split('.').at(-1) ?? ''];
    if (type === undefined) continue;
    const path = name === 'index.html' ? '/' : `/${name}`;
    assets.set(path, { type, bytes: await readFile(new URL(name, folder)) });
  }
  return assets;
}
