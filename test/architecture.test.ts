import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Where each folder of `src`, `commands` and `config` lies: it imports nothing that is above it. See ARCHITECTURE.md. */
const floors = [
  ['platform'],
  ['webhook', 'lookup', 'texts'],
  ['discord'],
  ['core'],
  ['features', 'commands', 'config'],
  ['owner'],
  ['app'],
  ['cli', 'sandbox', 'service'],
  ['exports', 'index', 'main'],
] as const;

/** Packages that only these folders may import. */
const foldersByPackage: Readonly<Record<string, readonly string[]>> = {
  'discord.js': ['src/discord', 'src/features'],
  'discord-api-types': ['commands', 'src/discord', 'src/features'],
  kysely: ['packages/platform/src', 'src/core/store', 'src/features', 'packages/listing-service/src'],
  'node:sqlite': ['packages/platform/src', 'src/core/store', 'packages/listing-service/src'],
  pg: ['packages/platform/src/database', 'src/core/store', 'packages/listing-service/src'],
  ky: ['src/lookup', 'packages/platform/src/discord-oauth'],
  keyv: ['src/lookup'],
  '@keyv/sqlite': ['src/lookup'],
  '@keyv/redis': ['src/lookup', 'packages/listing-service/src'],
  express: [
    ...['packages/platform/src/http', 'packages/platform/src/web', 'packages/platform/src/discord-oauth'],
    ...['src/webhook', 'src/features', 'src/owner', 'src/app', 'packages/listing-service/src'],
  ],
  pino: ['packages/platform/src', 'src/lookup'],
  'prom-client': ['packages/platform/src/http', 'src/core', 'packages/listing-service/src/monitoring'],
  ws: ['src/sandbox'],
  helmet: ['packages/platform/src/web'],
  cookie: ['packages/platform/src/web'],
  rolldown: ['packages/local-discord/src/web'],
  '@skyra/discord-components-core': ['packages/local-discord/src/web', 'src/sandbox/page'],
  lit: ['packages/local-discord/src/web', 'src/sandbox/page'],
  '@takumi-rs/core': ['packages/platform/src/pictures'],
  '@opentelemetry': ['packages/platform/src/tracing'],
};

const files = globSync('{src,commands,config}/**/*.ts');

/** Without comments, which contain examples. */
function codeOf(path: string): string {
  return readFileSync(path, 'utf8').replace(/\/\*\*.*?\*\//gs, '');
}

/** The folder in `src` that a file is in; `commands` and `config` themselves. */
function moduleOf(path: string): string {
  const [top = '', next = ''] = path.split('/');
  return top === 'src' ? next.replace(/\.\w+$/, '') : top;
}

/** The feature that a file belongs to; null for the list of them and what serves them all. */
function featureOf(path: string): string | null {
  return /^src\/features\/([^/]+)\//.exec(path)?.[1] ?? null;
}

function importsOf(path: string): string[] {
  const source = codeOf(path);
  return [
    ...source.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
    ),
  ].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '');
}

const imports = files.flatMap((path) => importsOf(path).map((specifier) => ({ path, specifier })));
const internalImports = imports
  .filter(({ specifier }) => specifier.startsWith('.'))
  .map(({ path, specifier }) => ({ path, target: normalize(join(dirname(path), specifier)) }));

function floorOf(path: string): number {
  return floors.findIndex((modules: readonly string[]) => modules.includes(moduleOf(path)));
}

/** Which rule the import breaks, and what to import instead; null if it breaks none. */
function problemOf(path: string, target: string): string | null {
  // The bot does not know the two programs beside it; they are started by the command line and exported for tests.
  const isProgram = ['service', 'sandbox'].includes(moduleOf(target)) && moduleOf(path) !== moduleOf(target);
  const mayImportPrograms = ['cli', 'sandbox', 'exports', 'main'].includes(moduleOf(path));
  if (isProgram) return mayImportPrograms ? null : `only cli and exports import ${moduleOf(target)}`;
  const [from, to] = [featureOf(path), featureOf(target)];
  const isOtherFeature = from !== null && to !== null && from !== to && !target.endsWith('/feature.ts');
  if (isOtherFeature) {
    const declared = `src/features/${to}/feature.ts`;
    return `import it from ${declared}, which exports what other features may use of it; add it there if it is missing`;
  }
  if (floorOf(target) <= floorOf(path)) return null;
  return `${moduleOf(target)} is above ${moduleOf(path)}: pass it as a parameter, or move what both need down`;
}

describe('the modules', () => {
  it('are all on a floor', () => {
    expect(files.length).toBeGreaterThan(80);
    expect([...new Set(files.filter((path) => floorOf(path) === -1).map(moduleOf))]).toEqual([]);
  });

  it('import nothing that is above them, and of another feature only what it declares', () => {
    const forbidden = internalImports.flatMap(({ path, target }) => {
      const problem = problemOf(path, target);
      return problem === null ? [] : [`${path} → ${target}: ${problem}`];
    });
    expect(forbidden).toEqual([]);
  });

  it('say what to import instead', () => {
    const problem = problemOf('src/features/party/store.ts', 'src/features/communities/directory.ts');
    expect(problem).toContain('src/features/communities/feature.ts');
    expect(problemOf('src/features/party/store.ts', 'src/app/app.ts')).toContain('app is above features');
  });

  it('have no cycle between files, type imports included', () => {
    const targets = new Map<string, string[]>();
    for (const { path, specifier } of imports.filter(({ specifier }) => specifier.startsWith('.'))) {
      targets.set(path, [...(targets.get(path) ?? []), normalize(join(dirname(path), specifier))]);
    }
    const visited = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, above: readonly string[]): void => {
      if (above.includes(path)) cycles.push([...above.slice(above.indexOf(path)), path].join(' → '));
      if (visited.has(path)) return;
      visited.add(path);
      for (const target of targets.get(path) ?? []) visit(target, [...above, path]);
    };
    for (const path of files) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('import restricted packages only in their folders', () => {
    const violations = imports.filter(({ path, specifier }) => {
      const folders = Object.entries(foldersByPackage).find(
        ([name]) => specifier === name || specifier.startsWith(`${name}/`),
      )?.[1];
      return folders !== undefined && !folders.some((folder) => path.startsWith(`${folder}/`));
    });
    expect(violations).toEqual([]);
  });
});

it('the writer thread loads neither Discord nor web pages', () => {
  const loaded = new Set<string>();
  const packages = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const [, specifier = ''] of codeOf(path).matchAll(/(?:^|\n)(?:import|export) (?!type )[^;]*?'([^']+)';/g)) {
      if (specifier.startsWith('.')) load(normalize(join(dirname(path), specifier)));
      else packages.add(specifier);
    }
  };
  load('src/features/write-worker.ts');
  expect(loaded).toContain('src/features/reminders/store.ts');
  expect([...packages].filter((name) => /^(discord|express|helmet|ky$|@takumi)/.test(name))).toEqual([]);
});

describe('every file', () => {
  it('reads the environment, the clock and random numbers only in some folders', () => {
    const rules = [
      {
        pattern: /process\.env\b/,
        folders: ['config/', 'src/main.ts', 'packages/platform/src/terminal/', 'src/cli/', 'src/sandbox/'],
      },
      { pattern: /\bDate\.now\(|new Date\(\)|Math\.random\(/, folders: [] },
    ];
    const violations = files
      .filter((path) => path !== 'packages/platform/src/clock.ts')
      .flatMap((path) =>
        rules
          .filter(
            ({ pattern, folders }) => !folders.some((folder) => path.startsWith(folder)) && pattern.test(codeOf(path)),
          )
          .map(({ pattern }) => `${path} ${pattern}`),
      );
    expect(violations).toEqual([]);
  });
});
