import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageStyles, readScript } from '../web/page-script.ts';
import type { PageFace } from './page-extension.ts';
import { ownFace, pageHtml } from './page-html.ts';

interface Asset {
  readonly type: string;
  readonly bytes: Buffer | string;
}

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** In their order. */
const styles = [
  'messages',
  'ground',
  'sidebar',
  'chat',
  'buttons',
  'composer',
  'modal',
  'members',
  'activity',
  'narrow',
];

/** The stylesheets and the icon of the page; in the package also scripts. */
export const pageFolder = (): URL => new URL('./public/', import.meta.url);

/**
 * The page's files by URL path. They are read once, so a request path never reaches the file system.
 *
 * @throws LocalDiscordError `page_not_bundled`
 */
export async function readAssets(face: PageFace = ownFace): Promise<ReadonlyMap<string, Asset>> {
  const [files, code] = await Promise.all([readPageFiles(face), readScript(face.script)]);
  return new Map([...files, ['/main.js', { type: types.js, bytes: code }]]);
}

/** All but the script, which may need a bundler. */
export async function readPageFiles(face: PageFace): Promise<ReadonlyMap<string, Asset>> {
  const folder = pageFolder();
  const names = await readdir(folder);
  const added = face.files?.() ?? [];
  const files = [...names.map((name) => new URL(name, folder)), messageStyles(), ...added].map(async (url) => {
    const name = basename(url.pathname);
    const type = types[name.split('.').at(-1) as keyof typeof types];
    return [`/${name}`, { type, bytes: await readFile(url) }] as const;
  });
  const addedStyles = added.map(({ pathname }) => basename(pathname)).filter((name) => name.endsWith('.css'));
  const sheets = [...styles.map((name) => `${name}.css`), ...addedStyles];
  const html = pageHtml(face, sheets).text;
  return new Map<string, Asset>([...(await Promise.all(files)), ['/', { type: types.html, bytes: html }]]);
}
