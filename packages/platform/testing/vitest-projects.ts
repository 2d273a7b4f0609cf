import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { TestUserConfig, UserWorkspaceConfig, ViteUserConfig } from 'vitest/config';
import { fastestTempDir } from './fastest-temp-dir.ts';
import { LongestFirst } from './longest-first.ts';
import { testCache } from './test-cache.ts';

/** Of a test run: the settings at the top of a vitest.config.ts. */
export const run = {
  // Many tests mostly wait, for programs to start and for connections to come back.
  maxWorkers: availableParallelism() + 1,
  sequence: { sequencer: LongestFirst },
} as const satisfies ViteUserConfig['test'];

/** Settings of every project. */
export const shared = {
  pool: 'forks',
  // Importing a program takes seconds of CPU time, more than most tests. So a process does it once, and runs one file
  // after the other: a test must leave nothing behind.
  isolate: false,
  unstubEnvs: true,
  // V8 sometimes aborts ("Check failed: jit_page.has_value()") when many worker threads end, on processors with memory
  // protection keys (nodejs/node#64500). The tests start hundreds of write workers.
  execArgv: ['--no-memory-protection-keys'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  provide: { oneCaseIn: 10 },
} as const satisfies TestUserConfig;

/** Tests that only `npm run test:full` runs. */
export const longTests = '**/*.full.test.ts';

/** Tests of pages, which run in Chromium. Only `npm run test:full` runs them. */
export const pages = 'test/e2e/**/*.test.ts';

/** Settings of {@link pages}. */
export const inBrowser = {
  include: [pages],
  globalSetup: new URL('browser/shared-browser.ts', import.meta.url).pathname,
  // As long as a locator waits: a loaded machine draws late.
  expect: { poll: { timeout: 10_000 } },
} as const satisfies TestUserConfig;

export interface PackageOptions {
  /** Files of which `npm test` runs a part of the cases, and `npm run test:full` all. */
  readonly sampled?: readonly string[];
  readonly setupFiles?: readonly string[];
  /** Whether there are tests in `test/e2e`. */
  readonly hasPages?: boolean;
}

/**
 * The projects of a package: `<name>` for `npm test`, and for `npm run test:full` `full:<name>` and, if it has tests of
 * pages, `full:<name>-e2e`.
 */
export function projectsOf(name: string, root: string, options: PackageOptions = {}): UserWorkspaceConfig[] {
  const { sampled = [], setupFiles = [], hasPages = false } = options;
  const all = { ...shared, setupFiles: [...setupFiles] };
  return [
    { root, test: { ...all, name, include: ['test/**/*.test.ts'], exclude: [longTests, pages] } },
    {
      root,
      test: { ...all, name: `full:${name}`, include: [`test/${longTests}`, ...sampled], provide: { oneCaseIn: 1 } },
    },
    ...(hasPages ? [{ root, test: { ...all, ...inBrowser, name: `full:${name}-e2e` } }] : []),
  ];
}

/** The tests need what Node 24 has; the scripts of the repository bring their own Node. */
export function prepareRun(): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 24) {
    throw new Error(
      `The tests need Node 24 or newer, this is ${process.versions.node}. Run "npm test": it brings its own Node.`,
    );
  }
  process.env['TMPDIR'] = fastestTempDir();
  // Of this process and of the programs that tests start from sources, for the next ones.
  process.env['NODE_COMPILE_CACHE'] ??= join(testCache, 'compiled');
}
