import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveImport } from './support/resolve-import.ts';

/** The packages that each package may import. Tests and their helpers may also use others. See ARCHITECTURE.md. */
const packages: Readonly<Record<string, readonly string[]>> = {
  'packages/platform/src/': [],
  'packages/local-discord/src/': ['@tallyhook/platform'],
  'packages/listing-service/src/': ['@tallyhook/platform'],
};
const ownPackages = ['@tallyhook/platform', 'local-discord', 'listing-service', 'tallyhook'];

/** Where each folder of `src`, `commands` and `config` lies: it imports nothing that is above it. See ARCHITECTURE.md. */
const floors = [
  ['webhook', 'lookup', 'texts'],
  ['discord'],
  ['core'],
  ['features', 'config'],
  ['commands'],
  ['owner'],
  ['app'],
  ['cli', 'sandbox'],
  ['exports', 'index', 'main'],
] as const;

/** The sections of `/setup`, which are drawn by what its command draws with, and the options of `createApp`, which name commands. */
const mayImportCommands =
  /^(?:src\/features\/(?:setup\/|setup-sections\.ts|\w+\/setup(?:-forms)?\.ts)|config\/app-options\.ts)/;

/** Packages that only these folders may import. */
const foldersByPackage: Readonly<Record<string, readonly string[]>> = {
  'discord.js': ['src/discord'],
  '@discordjs/rest': ['src/discord'],
  '@discordjs/ws': ['src/discord'],
  'discord-api-types': ['commands', 'src/discord', 'src/features'],
  kysely: ['packages/platform/src', 'src/core/store', 'src/features', 'packages/listing-service/src'],
  'node:sqlite': ['packages/platform/src', 'src/core/store', 'packages/listing-service/src'],
  pg: ['packages/platform/src/database', 'packages/listing-service/src'],
  ky: ['src/lookup', 'packages/platform/src/discord-oauth'],
  keyv: ['src/lookup'],
  '@keyv/sqlite': ['src/lookup'],
  '@keyv/redis': ['src/lookup', 'packages/listing-service/src'],
  express: [
    ...['packages/platform/src', 'src/webhook', 'src/features', 'src/owner', 'src/app'],
    'packages/listing-service/src',
  ],
  pino: ['packages/platform/src'],
  'pino-pretty': ['packages/platform/src'],
  commander: ['packages/platform/src/terminal'],
  'csv-stringify': ['src/cli'],
  '@clack/prompts': ['src/cli'],
  'prom-client': ['packages/platform/src/http', 'src/core', 'packages/listing-service/src/monitoring'],
  ws: ['packages/local-discord/src'],
  helmet: ['packages/platform/src/web'],
  cookie: ['packages/platform/src/web'],
  rolldown: ['packages/local-discord/src/web'],
  '@skyra/discord-components-core': [
    'packages/local-discord/src/web',
    'packages/local-discord/src/page',
    'src/sandbox/page',
  ],
  lit: ['packages/local-discord/src/web', 'packages/local-discord/src/page', 'src/sandbox/page'],
  '@takumi-rs/core': ['packages/platform/src/pictures'],
  '@opentelemetry': ['packages/platform/src/tracing'],
  // The bot does not know the two programs beside it; they are started by the command line and exported for tests.
  'local-discord': ['src/sandbox', 'src/exports', 'src/owner/console'],
  'listing-service': ['src/cli', 'src/sandbox', 'src/exports', 'src/main.ts'],
};

const files = globSync('{src,commands,config,packages/*/src}/**/*.ts');
const ofBot = files.filter((path) => !path.startsWith('packages/'));

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
  const [own, other] = [path, target].map((each) => /^packages\/[^/]+\//.exec(each)?.[0] ?? '');
  if (own !== other)
    return `import the package ${other === '' ? 'tallyhook' : other} by its name, or move what both need down`;
  if (own !== '') return null;
  const isSandbox = moduleOf(target) === 'sandbox' && moduleOf(path) !== 'sandbox';
  if (isSandbox && !['cli', 'exports', 'main'].includes(moduleOf(path))) return 'only cli and exports import sandbox';
  const [from, to] = [featureOf(path), featureOf(target)];
  const isOtherFeature = from !== null && to !== null && from !== to && !target.endsWith('/feature.ts');
  if (isOtherFeature) {
    const declared = `src/features/${to}/feature.ts`;
    return `import it from ${declared}, which exports what other features may use of it; add it there if it is missing`;
  }
  if (floorOf(target) <= floorOf(path)) return null;
  if (moduleOf(target) === 'commands' && mayImportCommands.test(path)) return null;
  return `${moduleOf(target)} is above ${moduleOf(path)}: pass it as a parameter, or move what both need down`;
}

describe('the modules', () => {
  it('are all on a floor', () => {
    expect(files.length).toBeGreaterThan(80);
    expect([...new Set(ofBot.filter((path) => floorOf(path) === -1).map(moduleOf))]).toEqual([]);
  });

  it.each(Object.entries(packages))('%s imports no package that is above it', (folder, allowed) => {
    const imported = imports
      .filter(({ path }) => path.startsWith(folder))
      .flatMap(
        ({ specifier }) => ownPackages.find((name) => specifier === name || specifier.startsWith(`${name}/`)) ?? [],
      );
    expect(imported.length + (allowed.length === 0 ? 1 : 0)).toBeGreaterThan(0);
    expect([...new Set(imported)].filter((name) => !allowed.includes(name))).toEqual([]);
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
    expect(problemOf('src/features/party/parts.ts', 'commands/canvote.ts')).toContain('commands is above features');
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
      return folders !== undefined && !folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
    });
    expect(violations).toEqual([]);
  });
});

it('the writer thread loads neither Discord nor web pages', () => {
  const loaded = new Set<string>();
  const loadedPackages = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const [, specifier = ''] of codeOf(path).matchAll(/(?:^|\n)(?:import|export) (?!type )[^;]*?'([^']+)';/g)) {
      if (specifier.startsWith('.') || specifier.startsWith('@tallyhook/'))
        load(relative('.', resolveImport(specifier, path)));
      else loadedPackages.add(specifier);
    }
  };
  load('src/features/write-worker.ts');
  expect(loaded).toContain('src/features/reminders/store.ts');
  expect([...loadedPackages].filter((name) => /^(discord|express|helmet|ky$|@takumi)/.test(name))).toEqual([]);
});

describe('every file', () => {
  it('reads the environment, the clock and random numbers only in some folders', () => {
    const rules = [
      {
        pattern: /process\.env\b/,
        folders: [
          ...['config/', 'src/main.ts', 'src/cli/', 'src/sandbox/'],
          ...['packages/platform/src/terminal/', 'packages/listing-service/src/cli/', 'packages/local-discord/src/cli'],
        ],
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
