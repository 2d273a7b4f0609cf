import { defineConfig } from 'vitest/config';
import { prepareRun, projectsOf, run } from './testing/vitest-projects.ts';

prepareRun();

export const projects = projectsOf('platform', import.meta.dirname);

export default defineConfig({ test: { ...run, projects } });
