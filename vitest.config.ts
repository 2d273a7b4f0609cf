import { inBrowser, longTests, pages, prepareRun, run, shared } from '@tallyhook/platform/testing/vitest-projects';
import { defineConfig, type TestUserConfig, type UserWorkspaceConfig } from 'vitest/config';
import { projects as ofListingService } from './packages/listing-service/vitest.config.ts';
import { projects as ofLocalDiscord } from './packages/local-discord/vitest.config.ts';
import { projects as ofPlatform } from './packages/platform/vitest.config.ts';
import { bundleFolder } from './test/support/bundle-folder.ts';

prepareRun();

// A watching Vitest does not bundle again when sources change.
const bundledWorker = process.argv.includes('run')
  ? [`--import=${new URL('test/support/bundled-worker.mjs', import.meta.url)}?bundle=${bundleFolder()}`]
  : [];
const source = (path: string) => new URL(`./src/${path}`, import.meta.url).pathname;

/** Tests that replace modules, built-in functions or what is global in a process. All others share processes. */
const isolated = ['test/linear-time.test.ts', 'test/app/tracing.test.ts'];
/** Counts what V8 runs of code that it has compiled itself. */
const counting = { NODE_DISABLE_COMPILE_CACHE: '1' };
/** `npm test` runs a part of their cases, `npm run test:full` all. */
const sampled = ['test/discord/{hostile-text,panel}.test.ts', 'test/core/tally/record-event.test.ts'];
const full = `test/${longTests}`;
const examples = 'examples/**/*.test.ts';
/** `npm test` runs them on SQLite, `npm run test:full` on servers. */
const onEveryDatabase = 'test/**/*.databases.test.ts';
const interactions = 'test/discord/{actions,autocomplete,interactions}.test.ts';

const bot = {
  ...shared,
  execArgv: [...shared.execArgv, ...bundledWorker],
  setupFiles: ['packages/local-discord/testing/discord-watch.ts'],
  provide: { ...shared.provide, databases: 'sqlite', interactions: 'gateway' },
} as const satisfies TestUserConfig;

function project(test: TestUserConfig): UserWorkspaceConfig {
  // The examples import the package by its name, as in package.json.
  const alias = [
    { find: /^tallyhook$/, replacement: source('index.ts') },
    { find: /^tallyhook\/(\w+)$/, replacement: source('exports/$1.ts') },
  ];
  return { resolve: { alias }, test: { ...bot, ...test } };
}

export default defineConfig({
  test: {
    ...run,
    globalSetup: [
      'test/support/bundled-program.ts',
      'test/support/shared-postgres.ts',
      'test/support/sqlite-template.ts',
    ],
    coverage: {
      provider: 'v8',
      include: ['{src,commands,config,packages/*/src}/**/*.ts'],
      // What runs in a browser is tested in one, where nothing counts lines.
      exclude: ['{src,packages}/**/browser/**'],
      reporter: ['text-summary', 'html'],
    },
    // `npm run test:full` runs those whose names begin with "full:", `npm test` the others.
    projects: [
      ...ofPlatform,
      ...ofLocalDiscord,
      ...ofListingService,
      project({ name: 'bot', include: ['test/**/*.test.ts'], exclude: [...isolated, full, pages] }),
      project({ name: 'isolated', include: isolated, isolate: true, env: counting }),
      project({
        name: 'full:bot',
        include: [full, examples, ...sampled],
        provide: { ...bot.provide, oneCaseIn: 1 },
      }),
      project({
        name: 'full:linear-time',
        include: ['test/linear-time.test.ts'],
        isolate: true,
        env: counting,
        provide: { ...bot.provide, oneCaseIn: 1 },
      }),
      project({
        name: 'full:databases',
        include: [onEveryDatabase],
        provide: { ...bot.provide, databases: 'servers' },
      }),
      project({ name: 'full:http', include: [interactions], provide: { ...bot.provide, interactions: 'http' } }),
      project({ ...inBrowser, name: 'full:e2e' }),
    ],
  },
});
