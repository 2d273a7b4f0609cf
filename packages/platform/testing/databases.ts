import { afterAll, beforeAll, describe, inject, onTestFinished, TestRunner } from 'vitest';
import { isSkipped } from './optional-programs.ts';
import { type PgBouncer, pgbouncerProgram, startPgBouncer } from './pgbouncer.ts';
import {
  databasesOf,
  type PostgresDatabases,
  type PostgresServer,
  postgresPrograms,
  startPostgres,
} from './postgres.ts';

/** The PostgreSQL server of the run, as tests use it. */
export interface TestPostgres extends PostgresDatabases {
  /** The URL of an empty database with the tables of a program, by the name of its template. */
  newFilled(template: string): string;
}

const programs = postgresPrograms();
const pgbouncer = pgbouncerProgram();
const shared = inject('postgres');

/** The tests use databases of the server that all tests of the run share; each is deleted after its test. */
export function describeOnPostgres(name: string, tests: (server: () => TestPostgres) => void): void {
  describe.skipIf(isSkipped(shared !== null))(name, () => tests(useSharedServer()));
}

function useSharedServer(): () => TestPostgres {
  let server: TestPostgres;
  beforeAll(() => {
    if (shared === null || programs === null) throw new Error(installPostgres);
    const databases = deletingDatabases(databasesOf(shared.port, programs));
    server = { ...databases, newFilled: (template) => databases.newDatabase(templateUrl(template)) };
  });
  return () => server;
}

function templateUrl(name: string): string {
  const url = shared?.templates[name];
  if (url === undefined) throw new Error(`The test run has no template "${name}".`);
  return url;
}

/** For tests that stop the server or change its settings. */
export function describeOnOwnPostgres(name: string, tests: (server: () => PostgresServer) => void): void {
  describe.skipIf(isSkipped(programs !== null))(name, () => {
    let postgres: PostgresServer;
    beforeAll(async () => {
      if (programs === null) throw new Error(installPostgres);
      postgres = await startPostgres(programs);
    });
    afterAll(() => postgres?.stop());
    tests(() => postgres);
  });
}

/** The tests use databases of the shared server through PgBouncer. @param template of each new database */
export function describeOnPgBouncer(name: string, template: string, tests: (newUrl: () => string) => void): void {
  describe.skipIf(isSkipped(shared !== null, pgbouncer !== null))(name, () => {
    const server = useSharedServer();
    let bouncer: PgBouncer;
    beforeAll(async () => {
      if (pgbouncer === null) throw new Error('Install PgBouncer (Debian: apt-get install pgbouncer).');
      bouncer = await startPgBouncer(pgbouncer, templateUrl(template));
    });
    afterAll(() => bouncer?.stop());
    tests(() => bouncer.through(server().newFilled(template)));
  });
}

const installPostgres = 'Install PostgreSQL (Debian: apt-get install postgresql).';

/**
 * Databases that are deleted when the running test has finished. Hooks of what it opens later run before. One that is
 * created before the tests exists as long as the server.
 */
function deletingDatabases(databases: PostgresDatabases): PostgresDatabases {
  return {
    ...databases,
    newDatabase(templateUrl) {
      const url = databases.newDatabase(templateUrl);
      if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => databases.dropDatabase(url));
      return url;
    },
  };
}
