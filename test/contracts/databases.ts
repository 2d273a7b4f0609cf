import { isSkipped } from '@tallyhook/platform/testing/optional-programs';
import { type PgBouncer, pgbouncerProgram, startPgBouncer } from '@tallyhook/platform/testing/pgbouncer';
import {
  databasesOf,
  type PostgresDatabases,
  type PostgresServer,
  postgresPrograms,
  startPostgres,
} from '@tallyhook/platform/testing/postgres';
import { afterAll, beforeAll, describe, inject, onTestFinished, TestRunner } from 'vitest';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { behaveAsTheFamily, type SharedPostgres } from '../support/shared-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The databases of {@link describeOnEveryDatabase}: SQLite, or the servers, on which `npm run test:full` runs them. */
    databases: 'sqlite' | 'servers';
  }
}

/** What tests do with the PostgreSQL server of the run. */
export interface TestPostgres extends PostgresDatabases {
  readonly templates: SharedPostgres['templates'];
}

const programs = postgresPrograms();
const pgbouncer = pgbouncerProgram();
const shared = inject('postgres');

/**
 * Runs the tests on each supported database. They call `newUrl` for the URL of one that has the tables and no rows. It is
 * a copy: migrating each takes longer than most tests.
 */
export function describeOnEveryDatabase(subject: string, tests: (newUrl: () => string) => void): void {
  if (inject('databases') === 'sqlite') {
    describe(`${subject} on SQLite`, () => tests(newSqliteUrl));
  } else {
    describeOnPostgres(`${subject} on PostgreSQL`, (server) =>
      tests(() => server().newDatabase(server().templates.store)),
    );
    describeOnPostgresFamily(`${subject} on a database of the PostgreSQL family`, tests);
    describeOnPgBouncer(`${subject} on PostgreSQL through PgBouncer`, tests);
  }
}

/** The tests use databases of the server that all tests of the run share; each is deleted after its test. */
export function describeOnPostgres(name: string, tests: (server: () => TestPostgres) => void): void {
  describe.skipIf(isSkipped(shared !== null))(name, () => tests(useSharedServer()));
}

function useSharedServer(): () => TestPostgres {
  let server: TestPostgres;
  beforeAll(() => {
    if (shared === null || programs === null) throw new Error(installPostgres);
    server = { ...deletingDatabases(databasesOf(shared.port, programs)), templates: shared.templates };
  });
  return () => server;
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

/**
 * What other databases of PostgreSQL's family do differently, set up on PostgreSQL: advisory locks that lock nothing
 * (YugabyteDB, Citus), serializable transactions (CockroachDB), and sequences of which each connection has its own range
 * (YugabyteDB, CockroachDB).
 */
function describeOnPostgresFamily(name: string, tests: (newUrl: () => string) => void): void {
  describeOnPostgres(name, (server) =>
    tests(() => {
      const url = server().newDatabase(server().templates.family);
      behaveAsTheFamily(server(), url);
      return url;
    }),
  );
}

export function describeOnPgBouncer(
  name: string,
  tests: (newUrl: () => string) => void,
  template: keyof SharedPostgres['templates'] = 'store',
): void {
  describe.skipIf(isSkipped(shared !== null, pgbouncer !== null))(name, () => {
    const server = useSharedServer();
    let bouncer: PgBouncer;
    beforeAll(async () => {
      if (pgbouncer === null) throw new Error('Install PgBouncer (Debian: apt-get install pgbouncer).');
      bouncer = await startPgBouncer(pgbouncer, server().templates.store);
    });
    afterAll(() => bouncer?.stop());
    tests(() => bouncer.through(server().newDatabase(server().templates[template])));
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
