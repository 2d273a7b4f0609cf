import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import type { TestProject } from 'vitest/node';
import { openStore } from '../../src/features/store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of a SQLite file that has the tables and no rows. */
    sqliteTemplate: string;
  }
}

/** For `globalSetup`: creates the file that `newSqliteFile` copies. */
export async function setup(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-test-'));
  const path = join(directory, 'template.db');
  await (await openStore(`sqlite:${path}`, systemClock, { thread: false })).close();
  project.provide('sqliteTemplate', path);
  return () => rmSync(directory, { recursive: true, force: true });
}
