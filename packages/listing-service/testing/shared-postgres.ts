import { type CreateTemplate, startSharedPostgres } from '@tallyhook/platform/testing/shared-postgres';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../src/storage/database.ts';

export const templates: Readonly<Record<'service', CreateTemplate>> = {
  service: async (url) => (await openDatabase(url)).destroy(),
};

/** For `globalSetup`: the server of the tests of this package. */
export const setup = (project: TestProject): Promise<() => void> => startSharedPostgres(project, templates);
