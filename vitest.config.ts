import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { bundleFolder } from './test/support/bundle-folder.ts';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  throw new Error(
    `The tests need Node 24 or newer, this is ${process.versions.node}. Run "npm test": it brings its own Node.`,
  );
}

// A watching Vitest does not bundle again when sources change.
const bundledWorker = process.argv.includes('run')
  ? [`--import=${new URL('test/support/bundled-worker.mjs', import.meta.url)}?bundle=${bundleFolder()}`]
  : [];
const source = (path: string) => new URL(`./src/${path}`, import.meta.url).pathname;

export default defineConfig({
  // The examples import the package by its name, as in package.json.
  resolve: {
    alias: [
      { find: /^tallyhook$/, replacement: source('index.ts') },
      { find: /^tallyhook\/(\w+)$/, replacement: source('exports/$1.ts') },
    ],
  },
  test: {
    pool: 'forks',
    // V8 sometimes aborts ("Check failed: jit_page.has_value()") when many worker threads end, on processors with memory
    // protection keys (nodejs/node#64500). The tests start hundreds of write workers.
    execArgv: ['--no-memory-protection-keys', ...bundledWorker],
    globalSetup: ['test/support/bundled-program.ts'],
    // Many tests mostly wait, for programs to start and for connections to come back.
    maxWorkers: availableParallelism() + 1,
    // CI may share its machine: what fails for that reason passes the second time, a fault fails again.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    setupFiles: ['test/support/discord-watch.ts'],
    coverage: {
      provider: 'v8',
      include: ['{src,commands,config}/**/*.ts'],
      // What runs in a browser is tested in one, where nothing counts lines.
      exclude: ['src/sandbox/page/browser/**'],
      reporter: ['text-summary', 'html'],
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{test,examples}/**/*.test.ts'],
          exclude: ['test/flows/**', 'test/e2e/**', 'test/contracts/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/flows/**/*.test.ts', 'test/contracts/**/*.test.ts'],
          // Takes minutes, so it runs on request only.
          exclude: process.env['TALLYHOOK_ANNOUNCEMENTS'] ? [] : ['test/flows/announcing-processes.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          // As long as a locator waits: a loaded machine draws late.
          expect: { poll: { timeout: 10_000 } },
        },
      },
    ],
  },
});
