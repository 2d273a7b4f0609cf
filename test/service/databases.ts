import { beforeAll, describe } from 'vitest';
import { openDatabase } from '../../src/service/storage/database.ts';
import { describeOnPostgres } from '../contracts/databases.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Runs the tests on SQLite and on PostgreSQL. They call `newDatabase` for the address of one of their own. */
export function describeOnBothDatabases(subject: string, tests: (newDatabase: () => string) => void): void {
  describe(`${subject} on SQLite`, () => tests(() => `sqlite:${tempDir()}/service.db`));
  describeOnNewPostgres(`${subject} on PostgreSQL`, tests);
}

/** The databases that the tests get have the tables and no rows. */
export function describeOnNewPostgres(subject: string, tests: (newDatabase: () => string) => void): void {
  describeOnPostgres(subject, (server) => {
    let template: string;
    beforeAll(async () => {
      template = server().newDatabase();
      await (await openDatabase(template)).destroy();
    });
    tests(() => server().newDatabase(template));
  });
}
