import { availableParallelism } from 'node:os';
import { fastestTempDir } from '@tallyhook/platform/testing/fastest-temp-dir';
import { LongestFirst } from '@tallyhook/platform/testing/longest-first';
import { defineConfig, type TestUserConfig, type UserWorkspaceConfig } from 'vitest/config';
import { bundleFolder } from './test/support/bundle-folder.ts';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  throw new Error(
    `The tests need Node 24 or newer, this is ${process.versions.node}. Run "npm test": it brings its own Node.`,
  );
}

process.env['TMPDIR'] = fastestTempDir();

// A watching Vitest does not bundle again when sources change.
const bundledWorker = process.argv.includes('run')
  ? [`--import=${new URL('test/support/bundled-worker.mjs', import.meta.url)}?bundle=${bundleFolder()}`]
  : [];
const source = (path: string) => new URL(`./src/${path}`, import.meta.url).pathname;

/** Tests that replace modules, built-in functions or what is global in a process. All others share processes. */
const isolated = ['test/linear-time.test.ts', 'test/app/tracing/tracing.test.ts', 'test/webhook/keyring.test.ts'];
/** `npm test` runs a part of their cases, `npm run test:full` all. */
const sampled = [
  'test/discord/{hostile-text,panel}.test.ts',
  'test/regular-expressions.test.ts',
  'test/service/conformance-{deviants,faults}.test.ts',
  'test/core/tally/record-event.test.ts',
];
/** Runs in `npm run test:full` only. */
const full = 'test/**/*.full.test.ts';
const examples = 'examples/**/*.test.ts';
/** `npm test` runs them on SQLite, `npm run test:full` on servers. */
const onEveryDatabase = [
  'test/contracts/**/*.test.ts',
  'test/features/{simulation/simulate,upkeep/heartbeat}.test.ts',
  'test/flows/rewards-simulate.test.ts',
];
const pages = 'test/e2e/**/*.test.ts';
const interactions = 'test/discord/{actions,autocomplete,interactions}.test.ts';

const shared = {
  pool: 'forks',
  // Importing the program takes seconds of CPU time, more than most tests. So a process does it once, and runs one file
  // after the other: a test must leave nothing behind.
  isolate: false,
  unstubEnvs: true,
  // V8 sometimes aborts ("Check failed: jit_page.has_value()") when many worker threads end, on processors with memory
  // protection keys (nodejs/node#64500). The tests start hundreds of write workers.
  execArgv: ['--no-memory-protection-keys', ...bundledWorker],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  setupFiles: ['packages/local-discord/testing/discord-watch.ts'],
  provide: { databases: 'sqlite', interactions: 'gateway', oneCaseIn: 10 },
} as const satisfies TestUserConfig;

function project(test: TestUserConfig): UserWorkspaceConfig {
  // The examples import the package by its name, as in package.json.
  const alias = [
    { find: /^tallyhook$/, replacement: source('index.ts') },
    { find: /^tallyhook\/(\w+)$/, replacement: source('exports/$1.ts') },
  ];
  return { resolve: { alias }, test: { ...shared, ...test } };
}

export default defineConfig({
  test: {
    globalSetup: [
      'test/support/bundled-program.ts',
      'test/support/shared-postgres.ts',
      'test/support/sqlite-template.ts',
    ],
    // Many tests mostly wait, for programs to start and for connections to come back.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['{src,commands,config}/**/*.ts'],
      // What runs in a browser is tested in one, where nothing counts lines.
      exclude: ['src/**/browser/**'],
      reporter: ['text-summary', 'html'],
    },
    projects: [
      project({ name: 'shared', include: ['test/**/*.test.ts'], exclude: [...isolated, full, pages] }),
      project({ name: 'isolated', include: isolated, isolate: true }),
      // From here on in `npm run test:full`.
      project({
        name: 'full',
        include: [full, examples, ...sampled],
        provide: { ...shared.provide, oneCaseIn: 1 },
      }),
      project({
        name: 'linear time',
        include: ['test/linear-time.test.ts'],
        isolate: true,
        provide: { ...shared.provide, oneCaseIn: 1 },
      }),
      project({
        name: 'databases',
        include: onEveryDatabase,
        provide: { ...shared.provide, databases: 'servers' },
      }),
      project({ name: 'http', include: [interactions], provide: { ...shared.provide, interactions: 'http' } }),
      // As long as a locator waits: a loaded machine draws late.
      project({
        name: 'e2e',
        include: [pages],
        globalSetup: 'test/e2e/shared-browser.ts',
        expect: { poll: { timeout: 10_000 } },
      }),
    ],
  },
});
