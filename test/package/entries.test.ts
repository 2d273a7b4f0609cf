import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { readEntries } from '../../scripts/entries.ts';
import { resolveImport } from '../support/resolve-import.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

describe('the entries of the package', () => {
  it('are the files in src/exports, and the package itself', () => {
    const files = globSync('src/exports/*.ts', { cwd: root }).map((path) => basename(path, '.ts'));
    const entries = readEntries().map(({ shortName }) => shortName);
    expect(entries.toSorted()).toEqual(['index', ...files].toSorted());
  });

  it('have their declarations and modules where the build writes them', () => {
    for (const { shortName } of readEntries()) {
      const path = shortName === 'index' ? 'index' : `exports/${shortName}`;
      const target = manifest.exports[shortName === 'index' ? '.' : `./${shortName}`];
      expect(target).toEqual({ types: `./dist/types/src/${path}.d.ts`, default: `./dist/package/${shortName}.js` });
    }
  });

  it('verify other sites in every runtime: it has to find its condition before that of browsers', () => {
    const targets = Object.entries(manifest.imports['#sites']);
    const chosen = (...conditions: string[]) =>
      targets.find(([condition]) => [...conditions, 'default'].includes(condition))?.[1];
    const wrangler = ['browser', 'worker', 'workerd'];
    for (const conditions of [wrangler, ['browser', 'worker'], ['deno', 'node'], ['bun', 'node'], ['node'], []])
      expect(chosen(...conditions)).toBe('./dist/package/sites.js');
    expect(chosen('browser')).toBe('./dist/package/no-sites.js');
  });

  it('export only what they import from elsewhere', () => {
    for (const path of ['src/index.ts', ...globSync('src/exports/*.ts', { cwd: root })]) {
      const code = readFileSync(`${root}${path}`, 'utf8').replace(/\/\*.*?\*\//gs, '');
      expect(code.replace(/export (type )?\{[^}]*\} from '[^']+';/g, '').trim()).toBe('');
    }
  });

  it('have no side effects, so that bundlers can drop what is not used', () => {
    expect(manifest.sideEffects).toBe(false);
  });
});

describe('the dependencies of the package', () => {
  const { dependencies, optionalDependencies, peerDependencies, devDependencies } = manifest;

  it('accept newer versions', () => {
    const ranges = Object.entries<string>({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    expect(ranges.filter(([, range]) => !range.startsWith('^'))).toEqual([]);
  });

  it('include discord.js, of which npm installs one copy for both if the range of the user allows it', () => {
    expect(dependencies['discord.js']).toBe('^14.22.0');
    expect(peerDependencies).toEqual({ '@opentelemetry/api': expect.any(String) });
    expect(devDependencies).not.toHaveProperty('discord.js');
  });

  it('and those of a clone are all that the sources import, so that --omit=dev leaves out nothing', () => {
    const clone = JSON.parse(readFileSync(`${root}scripts/clone/package.json`, 'utf8'));
    expect(manifest.workspaces).toEqual(['packages/*', 'scripts/clone']);
    expect(clone.private).toBe(true);
    const packages = globSync('packages/*/package.json', { cwd: root }).map(
      (path): string => JSON.parse(readFileSync(`${root}${path}`, 'utf8')).name,
    );
    const known = new Set([
      ...Object.keys({ ...dependencies, ...optionalDependencies, ...clone.dependencies }),
      ...packages,
    ]);
    const imported = globSync('{src,commands,config}/**/*.ts', { cwd: root }).flatMap((path) => {
      const code = readFileSync(`${root}${path}`, 'utf8').replace(/\/\*.*?\*\//gs, '');
      return [...code.matchAll(/\b(?:from |^import |import\()'([@\w][\w@:./-]*)'/gm)].map(
        ([, name = '']) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '',
      );
    });
    expect(imported.length).toBeGreaterThan(100);
    const missing = imported.filter((name) => !name.startsWith('node:') && name !== 'tallyhook' && !known.has(name));
    expect([...new Set(missing)]).toEqual([]);
    expect(Object.keys(clone.dependencies)).toContain('node');
  });
});

const read = (path: string) => readFileSync(path, 'utf8');

/** An export of a file. */
interface Export {
  readonly name: string;
  /** The docstring where it is declared. */
  readonly docstring: string;
}

/** The exports of a file that only exports what it imports from elsewhere. */
function exportsOf(path: string): readonly Export[] {
  const lists = read(path).matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm);
  return [...lists].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .filter((name) => name.trim() !== '')
      .map((name) => {
        const [declared = '', exported = declared] = name
          .trim()
          .replace(/^type /, '')
          .split(' as ');
        return { name: exported, docstring: docstringOf(declared, resolveImport(from, path)) };
      }),
  );
}

function docstringOf(name: string, path: string): string {
  const code = read(path);
  const words = '(?:declare )?(?:abstract )?(?:async )?(?:function|class|interface|type|const)';
  const declaration = new RegExp(`((?:/\\*\\*(?:(?!\\*/).)*?\\*/\\n)?)export ${words} ${name}\\b`, 's').exec(code);
  if (declaration !== null) return declaration[1] ?? '';
  const reexport = exportsOf(path).find((each) => each.name === name);
  if (reexport === undefined) throw new Error(`${path} does not declare ${name}.`);
  return reexport.docstring;
}

const sources = readEntries().map(({ name, shortName }) => {
  return [name, join(root, shortName === 'index' ? 'src/index.ts' : `src/exports/${shortName}.ts`)] as const;
});

describe('the exports of', () => {
  it('tallyhook are few enough to read', () => {
    expect(exportsOf(join(root, 'src/index.ts')).length).toBeLessThanOrEqual(60);
  });

  it.each(sources)('%s have docstrings', (_name, path) => {
    const undocumented = exportsOf(path).filter(({ docstring }) => !/\w/.test(docstring.replace(/@\w+ .*/g, '')));
    expect(undocumented.map(({ name }) => name)).toEqual([]);
  });

  it.each(sources.filter(([name]) => /^tallyhook(\/client|\/discord|\/receiver)?$/.test(name)))(
    '%s are in a category of the reference',
    (_name, path) => {
      const exports = exportsOf(path).filter(({ docstring }) => !/@category \w/.test(docstring));
      expect(exports.map(({ name }) => name)).toEqual([]);
    },
  );
});

const readFile = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The groups of codes, by the name of their type. */
function codesByType(): Map<string, string[]> {
  const groups = readFile('packages/platform/src/error-codes.ts').matchAll(
    /^export type (\w+) =((?:[ \n|]+'\w+')+);/gm,
  );
  return new Map([...groups].map(([, name = '', union = '']) => [name, [...union.matchAll(/'(\w+)'/g)].map(codeOf)]));
}

/** The codes of each section of the page, by the type that the section names. */
function documentedByType(): Map<string, string[]> {
  const sections = readFile('docs/errors.md').split('\n## ').slice(1);
  return new Map(
    sections.map((section) => [
      /^`(\w+)`/m.exec(section)?.[1] ?? '',
      [...section.matchAll(/^\| `(\w+)` \| [^|]+\. \| [^|]+\. \|$/gm)].map(codeOf),
    ]),
  );
}

const codeOf = ([, code = '']: RegExpExecArray) => code;

describe('docs/errors.md', () => {
  const documented = documentedByType();

  it.each([...codesByType()])('lists every code of %s with its meaning and what to do', (type, codes) => {
    expect(documented.get(type)?.toSorted()).toEqual(codes.toSorted());
  });

  it('has no section for a type that does not exist', () => {
    expect([...documented.keys()].toSorted()).toEqual([...codesByType().keys()].toSorted());
  });

  it('covers the union of all codes', () => {
    const members =
      /KnownErrorCode =((?:\s+\| \w+)+);/.exec(readFile('packages/platform/src/error-codes.ts'))?.[1] ?? '';
    expect([...members.matchAll(/\w+/g)].map(String).toSorted()).toEqual([...documented.keys()].toSorted());
  });
});

it('hints are for the caller: they name neither signals, nor the setting of a port, nor documents of the repository', () => {
  const files = globSync('{src/{app,core,discord,features,lookup,webhook},packages/platform/src}/**/*.ts', {
    cwd: new URL('../../', import.meta.url),
    exclude: ['packages/platform/src/{terminal,doctor}/**'],
  });
  const hints = files.flatMap((path) => [...readFile(path).matchAll(/[hH]int\w*:? =?[^'"`;]*(['"`])(.*?)\1/gs)]);
  expect(hints.length).toBeGreaterThan(50);
  expect(hints.map(([, , hint]) => hint).filter((hint) => /SIGHUP|\bPORT\b|docs\/|README/.test(hint ?? ''))).toEqual(
    [],
  );
});

it('the receiver takes neither discord.js nor a database server along into a bundle, nor what is loaded later', async () => {
  const bundle = await rolldown({ input: 'src/exports/receiver.ts', platform: 'node', logLevel: 'silent' });
  const { output } = await bundle.generate({ minify: true, comments: false });
  await bundle.close();
  const chunks = output.filter((each) => each.type === 'chunk');
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  expect(modules.some((path) => path.includes('/node_modules/kysely/'))).toBe(true);
  const foreign =
    /node_modules\/(?:discord\.js|@discordjs|express|ws|pg|@redis|@keyv)\/|\/src\/(?:discord\/|owner\/|texts\/(?:en|texts)\.ts$)/;
  expect(modules.filter((path) => foreign.test(path))).toEqual([]);
  expect(chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0)).toBeLessThan(1_100_000);
});
