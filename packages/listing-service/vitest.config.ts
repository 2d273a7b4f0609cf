import { prepareRun, projectsOf, run } from '@tallyhook/platform/testing/vitest-projects';
import { defineConfig } from 'vitest/config';

prepareRun();

export const projects = projectsOf('listing-service', import.meta.dirname, {
  sampled: ['test/conformance-{deviants,faults}.test.ts'],
  setupFiles: ['../local-discord/testing/discord-watch.ts'],
  hasPages: true,
});

export default defineConfig({ test: { ...run, projects, globalSetup: 'testing/shared-postgres.ts' } });
