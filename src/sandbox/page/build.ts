/** Puts the page into dist/, its files and its script, for those who have no bundler. A part of `npm run build`. */
import { cp, writeFile } from 'node:fs/promises';
import { bundledScript } from './script.ts';

const target = new URL('../../../dist/src/sandbox/page/public/', import.meta.url);
await cp(new URL('./public/', import.meta.url), target, { recursive: true });
await writeFile(new URL('main.js', target), await bundledScript({ minify: true }));
