import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files of the repository. Paths are from its root. */
export interface Sources {
  readonly texts: ReadonlyMap<string, string>;
  /** Which files import a file, directly. */
  readonly importers: ReadonlyMap<string, ReadonlySet<string>>;
}

const relativeImport = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;
/** How the packages of the repository are imported. */
const ownImport = /(?:from|import)\s*\(?\s*'((?:@tallyhook\/platform|local-discord|listing-service)(?:\/[^']*)?)'/g;
/** How the examples import tallyhook. */
const packageImport = /from 'tallyhook(?:\/(\w+))?'/g;

const sources = [
  '{src,commands,config,scripts,examples,bench,test}/**/*.{ts,js,mjs}',
  'packages/*/{src,test,testing}/**/*.{ts,js}',
];

export function readSources(root: string): Sources {
  const texts = new Map<string, string>();
  const importers = new Map<string, Set<string>>();
  for (const file of globSync(sources, { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8');
    texts.set(file, text);
    const imported = [
      ...[...text.matchAll(relativeImport)].map(([, path = '']) => normalize(join(dirname(file), path))),
      ...[...text.matchAll(ownImport)].map(([, name = '']) => relative(root, fileURLToPath(import.meta.resolve(name)))),
      ...[...text.matchAll(packageImport)].map(([, entry]) =>
        entry === undefined ? 'src/index.ts' : `src/exports/${entry}.ts`,
      ),
    ];
    for (const each of imported) importers.set(each, (importers.get(each) ?? new Set()).add(file));
  }
  return { texts, importers };
}

/**
 * The tests that import a file, directly or not. Those come first that are near, and whose texts have the words of the
 * file's name.
 */
export function relatedTests(file: string, { texts, importers }: Sources): string[] {
  const distances = new Map([[file, 0]]);
  for (const [each, distance] of distances) {
    for (const importer of importers.get(each) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  const folders = foldersOfTests(file);
  const words = wordsOf(basename(file));
  const rank = (test: string) => {
    const text = `${test} ${texts.get(test) ?? ''}`.toLowerCase();
    const mentions = words.map((word) => Math.log2(text.split(word).length));
    const likeness = mentions.reduce((sum, each) => sum + each, 0) / words.length;
    const inName = wordsOf(test).filter((word) => words.includes(word)).length;
    const isNear = folders.some((folder) => test.startsWith(folder));
    return (distances.get(test) ?? 0) - likeness - wordInName * inName + (isNear ? 0 : otherFolder);
  };
  const ranks = new Map(
    [...distances.keys()].filter((each) => each.endsWith('.test.ts')).map((test) => [test, rank(test)]),
  );
  return [...ranks.keys()].sort(
    (one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0) || one.localeCompare(other),
  );
}

/** Where the tests of a file are: those of a feature beside each other, of the core also as contracts of its store. */
function foldersOfTests(file: string): readonly string[] {
  const [ofPackage] = /^packages\/[^/]+\//.exec(file) ?? [];
  if (ofPackage !== undefined) return [`${ofPackage}test/`];
  const [module = '', feature = ''] = file.replace(/^src\//, '').split('/');
  if (module === 'features') return [`test/features/${feature}/`];
  return [`test/${module}/`, ...(module === 'core' ? ['test/contracts/'] : [])];
}

/** What they are worth in imports. */
const wordInName = 6;
const otherFolder = 4;

/** In the singular: `claims.test.ts` and `record-claim.ts` share one. */
function wordsOf(path: string): readonly string[] {
  return path
    .replace(/(?:\.(?:databases|full))?(?:\.test)?\.ts$/, '')
    .split(/[^a-z]+/)
    .map((word) => word.replace(/s$/, ''))
    .filter((word) => word.length > 2);
}
