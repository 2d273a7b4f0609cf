import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readEntries } from './entries.ts';

/** What a declaration imports, without examples in comments. */
const imports = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']/g;
const comments = /\/\*.*?\*\//gs;

/** Deletes the declarations in `folder` that those of no entry need. tsc writes one for each module. */
export function pruneDeclarations(folder: string): void {
  const needed = new Set<string>();
  for (const { declarations } of readEntries()) visit(declarations, needed);
  for (const path of globSync('**/*.d.ts', { cwd: folder })) {
    const file = join(folder, path);
    if (!needed.has(file)) rmSync(file);
  }
}

function visit(file: string, needed: Set<string>): void {
  if (needed.has(file)) return;
  needed.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').replaceAll(comments, '').matchAll(imports))
    visit(resolve(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')), needed);
}
