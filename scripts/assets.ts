import { cpSync, globSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = fileURLToPath(new URL('../src/', import.meta.url));

/** The stylesheets and icons of the web pages. `src/sandbox/page` copies its own. */
const assets = globSync('**/*.{css,svg}', { cwd: src, exclude: ['sandbox/**'] }).map((path) => join(src, path));

/** Copies the assets next to the compiled sources in `folder`, which has the layout of `src/`. */
export function copyAssets(folder: string): void {
  for (const file of assets) cpSync(file, join(folder, relative(src, file)));
}

/** Copies the assets next to the bundle, which is one flat folder. @throws Error if two assets have the same name */
export function copyAssetsFlat(folder: string): void {
  for (const file of assets) cpSync(file, join(folder, basename(file)), { force: false, errorOnExist: true });
}
