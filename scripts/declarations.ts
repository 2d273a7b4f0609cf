import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What a declaration imports, also in the examples of its comments. */
const imports = /(?<=(?:\bfrom|\bimport)\s*\(?\s*["'])[^"']+(?=["'])/g;
const comments = /\/\*.*?\*\//gs;
/** The packages of the repository: what is published has no others of them, so it imports their declarations by path. */
const ownPackages = globSync('packages/*/package.json', { cwd: root }).map(
  (path): string => JSON.parse(readFileSync(join(root, path), 'utf8')).name,
);

/**
 * Has declarations in `folder` import each other by path, and deletes those that no entry needs. tsc writes one for each module.
 * @param entries their absolute paths
 */
export function pruneDeclarations(folder: string, entries: readonly string[]): void {
  const needed = new Set<string>();
  for (const entry of entries) visit(entry, folder, needed);
  for (const path of globSync('**/*.d.ts', { cwd: folder })) {
    const file = join(folder, path);
    if (!needed.has(file)) rmSync(file);
  }
}

function visit(file: string, folder: string, needed: Set<string>): void {
  if (needed.has(file)) return;
  needed.add(file);
  const text = readFileSync(file, 'utf8').replace(imports, (specifier) => byPath(specifier, file, folder));
  writeFileSync(file, text);
  for (const [path] of text.replaceAll(comments, '').matchAll(imports)) {
    if (path.startsWith('.')) visit(resolve(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')), folder, needed);
  }
}

function byPath(specifier: string, file: string, folder: string): string {
  if (!ownPackages.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return specifier;
  const source = relative(root, fileURLToPath(import.meta.resolve(specifier)));
  const path = relative(dirname(file), join(folder, source)).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}
