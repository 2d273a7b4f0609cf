import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Allowed imports between modules, as in ARCHITECTURE.md. A module may always import from itself. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  'platform/encryption': ['platform'],
  'core/settings': ['platform', 'core/outbox'],
  'platform/tracing': ['platform'],
  config: ['platform', 'platform/encryption', 'core/settings', 'core/rewards', 'texts', 'platform/tracing'],
  'platform/web': ['platform'],
  'core/ledger': ['platform'],
  'core/rewards': ['platform', 'core/ledger'],
  'platform/leases': ['platform'],
  'core/outbox': ['platform'],
  'core/tally': ['platform', 'core/ledger', 'core/rewards', 'core/outbox'],
  'features/handlers': ['platform', 'core/ledger', 'core/outbox', 'core/store', 'core/tally'],
  lookup: ['platform', 'platform/tracing'],
  texts: ['platform', 'core/ledger', 'core/rewards', 'lookup'],
  commands: ['platform', 'core/ledger', 'core/rewards', 'lookup', 'core/settings', 'texts'],
  webhook: ['platform', 'core/tally', 'core/ledger', 'platform/http', 'platform/tracing'],
  'webhook/verification': ['platform', 'core/ledger', 'platform/http', 'webhook'],
  'features/pictures': ['platform', 'core/ledger', 'core/rewards'],
  'platform/discord-oauth': ['platform', 'platform/web'],
  'features/linked-roles': [
    'platform',
    'platform/web',
    'platform/discord-oauth',
    'platform/encryption',
    'core/store',
    'core/tally',
    'core/ledger',
    'core/rewards',
    'core/outbox',
    'texts',
  ],
  owner: ['platform', 'platform/web', 'core/records', 'core/tally', 'core/ledger', 'core/rewards', 'core/outbox'],
  discord: [
    'platform',
    'platform/leases',
    'core/outbox',
    'commands',
    'lookup',
    'texts',
    'platform/http',
    'platform/tracing',
  ],
  'platform/database': ['platform'],
  'core/store': [
    ...[
      'platform',
      'platform/database',
      'platform/encryption',
      'platform/leases',
      'core/settings',
      'core/tally',
      'core/ledger',
      'core/rewards',
      'core/outbox',
      'lookup',
    ],
    ...['core/records', 'discord'],
  ],
  'core/records': ['platform/web', 'core/ledger', 'core/outbox', 'core/rewards', 'core/tally'],
  'features/reminders': [
    ...['platform', 'core/ledger', 'core/outbox', 'core/store', 'core/tally'],
    ...['commands', 'discord', 'lookup', 'texts'],
  ],
  'features/party': ['platform', 'core/store', 'core/tally', 'discord'],
  features: [
    ...[
      'platform',
      'platform/database',
      'core/ledger',
      'core/outbox',
      'core/records',
      'core/settings',
      'core/store',
      'core/tally',
    ],
    ...['discord', 'lookup', 'features/handlers', 'features/linked-roles', 'features/party', 'features/reminders'],
  ],
  'platform/http': ['platform', 'platform/web'],
  'platform/doctor': ['platform', 'platform/database', 'platform/terminal'],
  'platform/terminal': ['platform'],
  app: [
    'platform',
    'config',
    'commands',
    'platform/database',
    'discord',
    'features',
    'features/pictures',
    'features/reminders',
    'platform/encryption',
    'features/handlers',
    'platform/http',
    'platform/leases',
    'core/ledger',
    'features/linked-roles',
    'lookup',
    'core/outbox',
    'owner',
    'core/records',
    'core/rewards',
    'core/settings',
    'core/store',
    'core/tally',
    'texts',
    'platform/tracing',
    'webhook',
  ],
  cli: [
    'platform/terminal',
    'platform',
    'config',
    'app',
    'commands',
    'platform/database',
    'discord',
    'features',
    'platform/doctor',
    'platform/encryption',
    'core/ledger',
    'lookup',
    'core/rewards',
    'sandbox',
    'service',
    'core/settings',
    'core/store',
    'core/tally',
    'texts',
    'platform/tracing',
    'webhook',
  ],
  service: [
    'platform',
    'platform/database',
    'platform/doctor',
    'platform/terminal',
    'platform/http',
    'platform/web',
    'webhook',
    'platform/discord-oauth',
  ],
  sandbox: [
    'platform',
    'platform/terminal',
    'config',
    'app',
    'service',
    'core/ledger',
    'core/tally',
    'platform/web',
    'webhook',
  ],
  main: ['platform', 'config', 'platform/terminal', 'cli', 'sandbox', 'service'],
  index: [
    ...[
      'platform',
      'config',
      'app',
      'platform/encryption',
      'features/handlers',
      'lookup',
      'core/ledger',
      'core/outbox',
      'core/rewards',
      'core/tally',
    ],
    ...['texts', 'platform/tracing', 'webhook'],
  ],
  exports: [
    ...[
      'platform',
      'config',
      'app',
      'commands',
      'discord',
      'features/handlers',
      'core/ledger',
      'lookup',
      'core/outbox',
      'sandbox',
    ],
    ...['service', 'core/tally', 'texts', 'platform/tracing', 'webhook/verification', 'platform/web'],
  ],
};

/** Packages that only these modules may import. */
const modulesByPackage: Readonly<Record<string, readonly string[]>> = {
  'discord.js': ['discord'],
  'discord-api-types': ['commands'],
  kysely: [
    'platform',
    'features/linked-roles',
    'features/party',
    'features/reminders',
    'platform/database',
    'core/store',
    'service',
  ],
  'node:sqlite': ['platform', 'platform/database', 'core/store', 'service'],
  pg: ['platform/database', 'core/store', 'service'],
  ky: ['lookup', 'platform/discord-oauth'],
  keyv: ['lookup'],
  '@keyv/sqlite': ['lookup'],
  '@keyv/redis': ['lookup', 'service'],
  express: [
    'webhook',
    'owner',
    'platform/http',
    'app',
    'service',
    'platform/web',
    'features/linked-roles',
    'platform/discord-oauth',
  ],
  pino: ['platform', 'lookup'],
  'prom-client': ['platform/http'],
  ws: ['sandbox'],
  helmet: ['platform/web'],
  cookie: ['platform/web'],
  rolldown: ['sandbox'],
  '@skyra/discord-components-core': ['sandbox'],
  '@takumi-rs/core': ['features/pictures'],
  '@opentelemetry': ['platform/tracing'],
};

const files = globSync('{src,commands,config}/**/*.ts');

/** Without comments, which contain examples. */
function codeOf(path: string): string {
  return readFileSync(path, 'utf8').replace(/\/\*\*.*?\*\//gs, '');
}

/** The folder of a file: of `src/` the one in it, of a floor the one on it. */
function moduleOf(path: string): string {
  const [top = '', next = '', ...rest] = path.split('/');
  if (top !== 'src') return top;
  const isFloor = ['platform', 'core', 'features'].includes(next) || `${next}/${rest[0]}` === 'webhook/verification';
  return isFloor && rest.length > 1 ? `${next}/${rest[0]}` : next.replace(/\.ts$/, '');
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
  .map(({ path, specifier }) => ({
    path,
    from: moduleOf(path),
    to: moduleOf(normalize(join(dirname(path), specifier))),
  }));

describe('the modules', () => {
  it('are all in the table', () => {
    expect(files.length).toBeGreaterThan(80);
    expect([...new Set(files.map(moduleOf))].filter((moduleName) => !(moduleName in allowedImports))).toEqual([]);
  });

  it('import only modules that the table allows', () => {
    const forbidden = internalImports.filter(({ from, to }) => from !== to && !allowedImports[from]?.includes(to));
    expect(forbidden.map(({ path, to }) => `${path} → ${to}`)).toEqual([]);
  });

  it.each([
    ['platform', /^platform/],
    ['core', /^(platform|core|commands|config|discord|lookup|texts|webhook)/],
    ['features', /^(platform|core|commands|config|discord|lookup|texts|webhook|features)/],
  ])('of %s import nothing that is above them', (floor, allowed) => {
    const modules = Object.entries(allowedImports).filter(([name]) => name === floor || name.startsWith(`${floor}/`));
    expect(modules.length).toBeGreaterThan(3);
    expect(modules.flatMap(([, names]) => names).filter((name) => !allowed.test(name))).toEqual([]);
  });

  it('have no dependency cycle', () => {
    const visit = (moduleName: string, path: readonly string[]): readonly string[] | null => {
      if (path.includes(moduleName)) return [...path, moduleName];
      for (const next of allowedImports[moduleName] ?? []) {
        const cycle = visit(next, [...path, moduleName]);
        if (cycle !== null) return cycle;
      }
      return null;
    };
    for (const moduleName of Object.keys(allowedImports)) expect(visit(moduleName, [])).toBe(null);
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

  it('import restricted packages only where the table allows it', () => {
    const violations = imports.filter(({ path, specifier }) => {
      const modules = Object.entries(modulesByPackage).find(
        ([name]) => specifier === name || specifier.startsWith(`${name}/`),
      )?.[1];
      return modules !== undefined && !modules.includes(moduleOf(path));
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
  it('reads the environment, the clock and random numbers only in the allowed modules', () => {
    const rules = [
      {
        pattern: /process\.env\b/,
        modules: ['config', 'main', 'platform/terminal', 'cli', 'sandbox'],
      },
      { pattern: /\bDate\.now\(|new Date\(\)|Math\.random\(/, modules: [] },
    ];
    const violations = files
      .filter((path) => !['src/platform/clock.ts', 'src/platform/wall-clock.ts'].includes(path))
      .flatMap((path) =>
        rules
          .filter(({ pattern, modules }) => !modules.includes(moduleOf(path)) && pattern.test(codeOf(path)))
          .map(({ pattern }) => `${path} ${pattern}`),
      );
    expect(violations).toEqual([]);
  });

  it('has at most 300 lines', () => {
    // A catalogue is as long as there are texts.
    const code = files.filter((path) => !path.startsWith('src/texts/locales/'));
    // Docstrings with examples are for the users of the package.
    const withoutExamples = (path: string) =>
      readFileSync(path, 'utf8').replace(/\/\*\*(?:(?!\*\/)[\s\S])*@example[\s\S]*?\*\//g, '');
    const long = code.filter((path) => withoutExamples(path).split('\n').length > 300);
    expect(long).toEqual([]);
  });
});
