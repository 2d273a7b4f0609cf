import { systemClock } from '@tallyhook/platform/clock';
import type { PostgresServer } from '@tallyhook/platform/testing/postgres';
import { startSharedPostgres } from '@tallyhook/platform/testing/shared-postgres';
import { templates as ofService } from 'listing-service/testing/shared-postgres';
import type { TestProject } from 'vitest/node';
import { openStore } from '../../src/features/store.ts';

/** For `globalSetup`: the server of all tests. */
export const setup = (project: TestProject): Promise<() => void> =>
  startSharedPostgres(project, { ...ofService, store: migrate, family: createFamily });

async function migrate(url: string): Promise<void> {
  await (await openStore(url, systemClock, { thread: false })).close();
}

/** Whose transactions are as in others of PostgreSQL's family, in whatever database. */
const familyUser = 'family';

/** A database that is set up as others of PostgreSQL's family behave: see `test/support/databases.ts`. */
async function createFamily(url: string, server: PostgresServer): Promise<void> {
  for (const type of ['bigint', 'integer'])
    server.runSql(`CREATE FUNCTION pg_advisory_xact_lock(${type}) RETURNS void LANGUAGE sql AS 'select'`, url);
  server.runSql(`CREATE ROLE ${familyUser} SUPERUSER LOGIN`, url);
  for (const setting of ["default_transaction_isolation = 'serializable'", 'search_path = public, pg_catalog'])
    server.runSql(`ALTER ROLE ${familyUser} SET ${setting}`, url);
  await migrate(asFamily(url));
  for (const table of ['deliveries', 'entries', 'effects'])
    server.runSql(`ALTER SEQUENCE ${table}_id_seq CACHE 100`, url);
}

/** The URL of a database for the user whose transactions are as in the family. */
export function asFamily(url: string): string {
  return Object.assign(new URL(url), { username: familyUser }).href;
}
