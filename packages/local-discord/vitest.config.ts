import { prepareRun, projectsOf, run } from '@tallyhook/platform/testing/vitest-projects';
import { defineConfig } from 'vitest/config';

prepareRun();

export const projects = projectsOf('local-discord', import.meta.dirname, { setupFiles: ['testing/discord-watch.ts'] });

export default defineConfig({ test: { ...run, projects } });
