import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { afterAll, beforeAll, describe } from 'vitest';

/** Runs the tests on SQLite and on PostgreSQL. They call `newDatabase` for the address of one of their own. */
export function describeOnBothDatabases(subject: string, tests: (newDatabase: () => string) => void): void {
  describe(`${subject} on SQLite`, () => {
    let directory: string;
    let databases = 0;
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'tallyhook-test-'));
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));
    tests(() => {
      databases += 1;
      return `sqlite:${directory}/service${databases}.db`;
    });
  });
  describeOnNewPostgres(`${subject} on PostgreSQL`, tests);
}

/** The databases that the tests get have the tables and no rows. */
export function describeOnNewPostgres(subject: string, tests: (newDatabase: () => string) => void): void {
  describeOnPostgres(subject, (server) => tests(() => server().newFilled('service')));
}
