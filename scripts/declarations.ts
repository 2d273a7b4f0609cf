import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** A comment, or what a declaration imports. */
const commentOrImport = /\/\*.*?\*\/|(?<=(?:\bfrom|\bimport)\s*\(?\s*["'])[^"']+(?=["'])/gs;
/** The packages of the repository: what is published has no others of them, so it imports their declarations by path. */
const ownPackages = globSync('packages/*/package.json', { cwd: root }).map(
  (path): string => JSON.parse(readFileSync(join(root, path), 'utf8')).name,
);

/**
 * Has declarations in `folder` import each other by path, and deletes those that no entry needs. tsc writes one for each module.
 * @param entries their absolute paths
 * @param examples by what examples in comments import, from where users of the package import it
 */
export function pruneDeclarations(
  folder: string,
  entries: readonly string[],
  examples: Readonly<Record<string, string>> = {},
): void {
  const needed = new Set<string>();
  for (const entry of entries) visit(entry);
  for (const path of globSync('**/*.d.ts', { cwd: folder })) {
    const file = join(folder, path);
    if (!needed.has(file)) rmSync(file);
  }

  function visit(file: string): void {
    if (needed.has(file)) return;
    needed.add(file);
    const imported: string[] = [];
    const text = readFileSync(file, 'utf8').replace(commentOrImport, (found) => {
      if (found.startsWith('/*')) return inExamples(found);
      const path = byPath(found, file);
      if (path.startsWith('.')) imported.push(path);
      return path;
    });
    // Four spaces for each level would be a tenth of the bytes.
    writeFileSync(
      file,
      text.replace(/^(?: {4})+/gm, (indent) => '\t'.repeat(indent.length / 4)),
    );
    for (const path of imported) visit(resolve(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')));
  }

  function inExamples(comment: string): string {
    return Object.entries(examples).reduce(
      (text, [name, here]) => text.replaceAll(`from '${name}'`, `from '${here}'`),
      comment,
    );
  }

  function byPath(specifier: string, file: string): string {
    if (!ownPackages.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return specifier;
    const source = relative(root, fileURLToPath(import.meta.resolve(specifier)));
    const path = relative(dirname(file), join(folder, source)).replace(/\.ts$/, '.js');
    return path.startsWith('.') ? path : `./${path}`;
  }
}
