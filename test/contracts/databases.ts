import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { openStore } from '../../src/store/store.ts';
import { isSkipped } from '../support/optional-programs.ts';
import { type PgBouncer, pgbouncerProgram, startPgBouncer } from '../support/pgbouncer.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../support/postgres.ts';
import { tempDir } from '../support/temp-dir.ts';

const programs = postgresPrograms();
const pgbouncer = pgbouncerProgram();

/**
 * Runs the tests on each supported database. They call `newUrl` for the URL of one that has the tables and no rows. It is
 * a copy: migrating each takes longer than most tests.
 */
export function describeOnEveryDatabase(subject: string, tests: (newUrl: () => string) => void): void {
  describeOnSqlite(`${subject} on SQLite`, tests);
  describeOnPostgres(`${subject} on PostgreSQL`, (server) => {
    let template: string;
    beforeAll(async () => {
      template = server().newDatabase();
      await migrate(template);
    });
    tests(() => server().newDatabase(template));
  });
  describeOnPostgresFamily(`${subject} on a database of the PostgreSQL family`, tests);
  describeOnPgBouncer(`${subject} on PostgreSQL through PgBouncer`, tests);
}

async function migrate(url: string): Promise<void> {
  await (await openStore(url, systemClock)).close();
}

function describeOnSqlite(name: string, tests: (newUrl: () => string) => void): void {
  describe(name, () => {
    let directory: string;
    let template: string;
    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'tallyhook-test-'));
      template = join(directory, 'template.db');
      await migrate(`sqlite:${template}`);
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));
    tests(() => {
      const file = join(tempDir(), 'tally.db');
      copyFileSync(template, file);
      return `sqlite:${file}`;
    });
  });
}

export function describeOnPostgres(name: string, tests: (server: () => PostgresServer) => void): void {
  describe.skipIf(isSkipped(programs !== null))(name, () => {
    let postgres: PostgresServer;
    beforeAll(async () => {
      if (programs === null) throw new Error('Install PostgreSQL (Debian: apt-get install postgresql).');
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
  describeOnPostgres(name, (server) => {
    let template: string;
    beforeAll(async () => {
      template = server().newDatabase();
      const run = (sql: string) => server().runSql(sql, template);
      run("ALTER SYSTEM SET default_transaction_isolation = 'serializable'");
      run('ALTER SYSTEM SET search_path = public, pg_catalog');
      run('SELECT pg_reload_conf()');
      for (const type of ['bigint', 'integer'])
        run(`CREATE FUNCTION pg_advisory_xact_lock(${type}) RETURNS void LANGUAGE sql AS 'select'`);
      await migrate(template);
      for (const table of ['deliveries', 'entries', 'effects']) run(`ALTER SEQUENCE ${table}_id_seq CACHE 100`);
    });
    tests(() => server().newDatabase(template));
  });
}

export function describeOnPgBouncer(name: string, tests: (newUrl: () => string) => void): void {
  describe.skipIf(isSkipped(programs !== null, pgbouncer !== null))(name, () => {
    let postgres: PostgresServer;
    let bouncer: PgBouncer;
    let template: string;
    beforeAll(async () => {
      if (programs === null || pgbouncer === null)
        throw new Error('Install PostgreSQL and PgBouncer (Debian: apt-get install postgresql pgbouncer).');
      postgres = await startPostgres(programs);
      template = postgres.newDatabase();
      bouncer = await startPgBouncer(pgbouncer, template);
      await migrate(bouncer.through(template));
      // PgBouncer keeps its connections, and a database with connections cannot be copied.
      postgres.closeConnections(template);
    });
    afterAll(async () => {
      await bouncer?.stop();
      postgres?.stop();
    });
    tests(() => bouncer.through(postgres.newDatabase(template)));
  });
}
