import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledScript } from './script.ts';

/** Puts the page beside the code that serves it, its files and its script, for those who have no bundler. */
export async function buildPage(folder: string): Promise<void> {
  const target = join(folder, 'public');
  await cp(fileURLToPath(new URL('./public/', import.meta.url)), target, { recursive: true });
  await writeFile(join(target, 'main.js'), await bundledScript({ minify: true }));
}
