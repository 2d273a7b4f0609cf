import { longTests, prepareRun, shared } from '@tallyhook/platform/testing/vitest-projects';
import { defineConfig } from 'vitest/config';

prepareRun();

/** The tests of what Stryker breaks. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/{core,webhook,contracts}/**/*.test.ts'],
    // Those of the keyring replace a module, which needs a process of its own.
    exclude: [`test/${longTests}`, 'test/webhook/keyring.test.ts'],
    globalSetup: ['test/support/shared-postgres.ts', 'test/support/sqlite-template.ts'],
    provide: { ...shared.provide, databases: 'sqlite', interactions: 'gateway' },
  },
});
