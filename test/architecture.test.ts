import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Who may import whom: the table of ARCHITECTURE.md, top to bottom. A room may always import from itself. */
const words = ['clock', 'log', 'errors'];
const pure = [...words, 'patience', 'markup'];
const mayImport: Readonly<Record<string, readonly string[]>> = {
  config: ['did-you-mean'],
  'did-you-mean': [],
  clock: [],
  log: ['log-lines', 'redactor'],
  'log-lines': [],
  redactor: [],
  errors: [],
  patience: words,
  markup: [],
  'make-directory': [],
  'sqlite-file': [],
  'database-file': words,
  pages: ['clock'],
  ledger: words,
  outbox: [...words, 'patience'],
  tally: [...words, 'ledger', 'outbox'],
  texts: ['markup', 'lookup'],
  lookup: [...words, 'make-directory', 'redactor'],
  commands: [...pure, 'lookup', 'texts'],
  webhook: [...words, 'tally', 'ledger'],
  owner: [...words, 'pages', 'tally', 'ledger', 'outbox'],
  store: [
    ...words,
    'database-file',
    'make-directory',
    'sqlite-file',
    'tally',
    'ledger',
    'outbox',
    'lookup',
    'owner',
    'discord',
  ],
  discord: [...pure, 'outbox', 'commands', 'lookup', 'texts'],
  metrics: [],
  http: ['log', 'errors', 'metrics'],
  doubts: ['log', 'config'],
  measure: ['clock', 'metrics', 'lookup', 'tally'],
  'lookup-clients': [...words, 'config', 'commands', 'lookup', 'measure', 'metrics', 'store'],
  bot: [...words, 'config', 'commands', 'discord', 'metrics', 'outbox'],
  'owner-app': [...words, 'config', 'http', 'lookup', 'owner', 'store', 'tally', 'webhook'],
  app: [
    ...words,
    'patience',
    'config',
    'doubts',
    'measure',
    'lookup-clients',
    'bot',
    'owner-app',
    'http',
    'metrics',
    'ledger',
    'outbox',
    'tally',
    'texts',
    'lookup',
    'webhook',
    'store',
  ],
  terminal: ['did-you-mean', 'log', 'errors', 'config'],
  service: [...words, 'http', 'pages', 'database-file', 'make-directory', 'sqlite-file', 'terminal', 'webhook'],
  sandbox: [...words, 'make-directory', 'pages', 'terminal', 'config', 'app', 'service', 'ledger', 'tally', 'webhook'],
  cli: [
    ...words,
    'redactor',
    'terminal',
    'config',
    'app',
    'sandbox',
    'commands',
    'discord',
    'lookup',
    'store',
    'texts',
  ],
  doctor: [
    ...words,
    'markup',
    'redactor',
    'terminal',
    'config',
    'cli',
    'commands',
    'discord',
    'lookup',
    'store',
    'database-file',
  ],
  export: [...words, 'terminal', 'store'],
  main: ['config', 'terminal', 'cli', 'sandbox', 'service', 'doctor', 'export'],
  index: ['config', 'app', ...words, 'lookup', 'ledger', 'tally', 'webhook'],
};

/** Packages that belong to one room alone. */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  'discord.js': ['discord'],
  kysely: ['sqlite-file', 'store', 'service'],
  'node:sqlite': ['sqlite-file', 'store'],
  pg: ['store'],
  ky: ['lookup'],
  keyv: ['lookup'],
  '@keyv/sqlite': ['lookup'],
  '@keyv/redis': ['lookup'],
  express: ['webhook', 'owner', 'http', 'owner-app', 'app', 'service'],
  pino: ['log', 'lookup'],
  'prom-client': ['metrics'],
  ws: ['sandbox'],
  rolldown: ['sandbox'],
  '@skyra/discord-components-core': ['sandbox'],
};

const files = globSync('{src,commands,config}/**/*.ts');

function roomOf(path: string): string {
  const [top = '', next = ''] = path.split('/');
  return top === 'src' ? next.replace(/\.ts$/, '') : top;
}

function importsOf(path: string): string[] {
  const source = readFileSync(path, 'utf8');
  return [
    ...source.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
    ),
  ].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '');
}

const imports = files.flatMap((path) => importsOf(path).map((specifier) => ({ path, specifier })));
const inner = imports
  .filter(({ specifier }) => specifier.startsWith('.'))
  .map(({ path, specifier }) => ({ path, from: roomOf(path), to: roomOf(normalize(join(dirname(path), specifier))) }));

describe('the rooms', () => {
  it('are all in the table', () => {
    expect(files.length).toBeGreaterThan(80);
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in mayImport))).toEqual([]);
  });

  it('import only what stands below them', () => {
    const forbidden = inner.filter(({ from, to }) => from !== to && !mayImport[from]?.includes(to));
    expect(forbidden.map(({ path, to }) => `${path} → ${to}`)).toEqual([]);
  });

  it('form no ring', () => {
    const visit = (room: string, path: readonly string[]): readonly string[] | null => {
      if (path.includes(room)) return [...path, room];
      for (const next of mayImport[room] ?? []) {
        const ring = visit(next, [...path, room]);
        if (ring !== null) return ring;
      }
      return null;
    };
    for (const room of Object.keys(mayImport)) expect(visit(room, [])).toBe(null);
  });

  it('keep their packages to themselves', () => {
    const strays = imports.filter(({ path, specifier }) => {
      const rooms = Object.entries(packagesOf).find(
        ([name]) => specifier === name || specifier.startsWith(`${name}/`),
      )?.[1];
      return rooms !== undefined && !rooms.includes(roomOf(path));
    });
    expect(strays).toEqual([]);
  });
});

describe('every line', () => {
  it('reads the environment, the clock and chance only where they belong', () => {
    const rules = [
      {
        what: /process\.env\b/,
        rooms: ['config', 'main', 'terminal', 'cli', 'doctor', 'sandbox'],
      },
      { what: /\bDate\.now\(|new Date\(\)|Math\.random\(/, rooms: ['clock'] },
    ];
    const strays = files.flatMap((path) =>
      rules
        .filter(({ what, rooms }) => !rooms.includes(roomOf(path)) && what.test(readFileSync(path, 'utf8')))
        .map(({ what }) => `${path} ${what}`),
    );
    expect(strays).toEqual([]);
  });

  it('stands in a file of one idea', () => {
    const long = files.filter((path) => readFileSync(path, 'utf8').split('\n').length > 300);
    expect(long).toEqual([]);
  });
});
