import { describeOnPgBouncer, describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { describe, inject } from 'vitest';
import { newSqliteUrl } from './new-sqlite.ts';
import { asFamily } from './shared-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The databases of {@link describeOnEveryDatabase}: SQLite, or the servers, on which `npm run test:full` runs them. */
    databases: 'sqlite' | 'servers';
  }
}

/**
 * Runs the tests on each supported database. They call `newUrl` for the URL of one that has the tables and no rows. It is
 * a copy: migrating each takes longer than most tests.
 */
export function describeOnEveryDatabase(subject: string, tests: (newUrl: () => string) => void): void {
  if (inject('databases') === 'sqlite') {
    describe(`${subject} on SQLite`, () => tests(newSqliteUrl));
  } else {
    describeOnPostgres(`${subject} on PostgreSQL`, (server) => tests(() => server().newFilled('store')));
    describeOnPostgresFamily(`${subject} on a database of the PostgreSQL family`, tests);
    describeOnPgBouncer(`${subject} on PostgreSQL through PgBouncer`, 'store', tests);
  }
}

/**
 * What other databases of PostgreSQL's family do differently, set up on PostgreSQL: advisory locks that lock nothing
 * (YugabyteDB, Citus), serializable transactions (CockroachDB), and sequences of which each connection has its own range
 * (YugabyteDB, CockroachDB).
 */
function describeOnPostgresFamily(name: string, tests: (newUrl: () => string) => void): void {
  describeOnPostgres(name, (server) => tests(() => asFamily(server().newFilled('family'))));
}
