import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Allowed imports between modules, as in ARCHITECTURE.md. A module may always import from itself. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  encryption: ['platform'],
  settings: ['platform', 'outbox'],
  tracing: ['platform'],
  config: ['platform', 'encryption', 'settings', 'rewards', 'texts', 'tracing'],
  web: ['platform'],
  ledger: ['platform'],
  rewards: ['platform', 'ledger'],
  leases: ['platform'],
  outbox: ['platform'],
  tally: ['platform', 'ledger', 'rewards', 'outbox'],
  handlers: ['platform', 'ledger', 'outbox', 'tally'],
  lookup: ['platform', 'tracing'],
  texts: ['platform', 'ledger', 'rewards', 'lookup'],
  commands: ['platform', 'ledger', 'rewards', 'lookup', 'settings', 'texts'],
  webhook: ['platform', 'tally', 'ledger', 'http', 'tracing'],
  verification: ['platform', 'ledger', 'http', 'webhook'],
  drawing: ['platform', 'ledger', 'rewards'],
  'discord-oauth': ['platform', 'web'],
  'linked-roles': ['platform', 'web', 'discord-oauth', 'encryption', 'tally', 'ledger', 'rewards', 'outbox', 'texts'],
  owner: ['platform', 'web', 'tally', 'ledger', 'rewards', 'outbox'],
  discord: ['platform', 'leases', 'outbox', 'commands', 'lookup', 'texts', 'http', 'tracing'],
  database: ['platform'],
  store: [
    ...['platform', 'database', 'encryption', 'leases', 'settings', 'tally', 'ledger', 'rewards', 'outbox', 'lookup'],
    ...['owner', 'discord', 'handlers', 'linked-roles'],
  ],
  http: ['platform', 'web'],
  doctor: ['platform', 'database', 'terminal', 'texts'],
  terminal: ['platform', 'config'],
  app: [
    'platform',
    'config',
    'commands',
    'database',
    'discord',
    'drawing',
    'encryption',
    'handlers',
    'http',
    'leases',
    'ledger',
    'linked-roles',
    'lookup',
    'outbox',
    'owner',
    'rewards',
    'settings',
    'store',
    'tally',
    'texts',
    'tracing',
    'webhook',
  ],
  cli: [
    'terminal',
    'platform',
    'config',
    'app',
    'commands',
    'database',
    'discord',
    'doctor',
    'encryption',
    'ledger',
    'lookup',
    'rewards',
    'sandbox',
    'service',
    'settings',
    'store',
    'tally',
    'texts',
    'tracing',
    'webhook',
  ],
  service: ['platform', 'database', 'doctor', 'terminal', 'http', 'web', 'webhook', 'discord-oauth'],
  sandbox: ['platform', 'terminal', 'config', 'app', 'service', 'ledger', 'tally', 'web', 'webhook'],
  main: ['platform', 'config', 'terminal', 'cli', 'sandbox', 'service'],
  index: [
    ...['platform', 'config', 'app', 'encryption', 'handlers', 'lookup', 'ledger', 'outbox', 'rewards', 'tally'],
    ...['texts', 'tracing', 'webhook'],
  ],
  exports: [
    ...['platform', 'config', 'app', 'commands', 'discord', 'handlers', 'ledger', 'lookup', 'outbox', 'sandbox'],
    ...['service', 'tally', 'texts', 'tracing', 'verification', 'web'],
  ],
};

/** Packages that only these modules may import. */
const modulesByPackage: Readonly<Record<string, readonly string[]>> = {
  'discord.js': ['discord'],
  'discord-api-types': ['commands'],
  kysely: ['platform', 'database', 'store', 'service'],
  'node:sqlite': ['platform', 'database', 'store', 'service'],
  pg: ['database', 'store', 'service'],
  ky: ['lookup', 'discord-oauth'],
  keyv: ['lookup'],
  '@keyv/sqlite': ['lookup'],
  '@keyv/redis': ['lookup', 'service'],
  express: ['webhook', 'owner', 'http', 'app', 'service', 'web', 'linked-roles', 'discord-oauth'],
  pino: ['platform', 'lookup'],
  'prom-client': ['http'],
  ws: ['sandbox'],
  helmet: ['web'],
  cookie: ['web'],
  rolldown: ['sandbox'],
  '@skyra/discord-components-core': ['sandbox'],
  '@takumi-rs/core': ['drawing'],
  '@opentelemetry': ['tracing'],
};

const files = globSync('{src,commands,config}/**/*.ts');

/** Without comments, which contain examples. */
function codeOf(path: string): string {
  return readFileSync(path, 'utf8').replace(/\/\*\*.*?\*\//gs, '');
}

function moduleOf(path: string): string {
  const [top = '', next = ''] = path.split('/');
  return top === 'src' ? next.replace(/\.ts$/, '') : top;
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

describe('every file', () => {
  it('reads the environment, the clock and random numbers only in the allowed modules', () => {
    const rules = [
      {
        pattern: /process\.env\b/,
        modules: ['config', 'main', 'terminal', 'cli', 'sandbox'],
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
