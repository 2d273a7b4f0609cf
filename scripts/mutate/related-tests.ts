import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Which files import a file, directly. */
export type Importers = ReadonlyMap<string, ReadonlySet<string>>;

const relativeImport = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;
/** How the examples import the package. */
const packageImport = /from 'tallyhook(?:\/(\w+))?'/g;

/** Reads who imports whom in the whole repository. Paths are from its root. */
export function readImporters(root: string): Importers {
  const importers = new Map<string, Set<string>>();
  const files = globSync('{src,commands,config,scripts,examples,bench,test}/**/*.{ts,js,mjs}', { cwd: root });
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    const imported = [
      ...[...text.matchAll(relativeImport)].map(([, path = '']) => normalize(join(dirname(file), path))),
      ...[...text.matchAll(packageImport)].map(([, entry]) =>
        entry === undefined ? 'src/index.ts' : `src/exports/${entry}.ts`,
      ),
    ];
    for (const each of imported) importers.set(each, (importers.get(each) ?? new Set()).add(file));
  }
  return importers;
}

/** The tests that import a file, directly or not: those of its module first, then the nearest. */
export function relatedTests(file: string, importers: Importers): string[] {
  const distances = new Map([[file, 0]]);
  for (const [each, distance] of distances) {
    for (const importer of importers.get(each) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  const folder = `test/${file.replace(/^src\//, '').split('/')[0]}/`;
  const rank = (test: string) => (test.startsWith(folder) ? 0 : 100) + (distances.get(test) ?? 0);
  return [...distances.keys()]
    .filter((each) => each.endsWith('.test.ts'))
    .sort((one, other) => rank(one) - rank(other) || one.localeCompare(other));
}
