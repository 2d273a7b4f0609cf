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

/** A database that is set up as others of PostgreSQL's family behave: see `test/support/databases.ts`. */
async function createFamily(url: string, server: PostgresServer): Promise<void> {
  for (const type of ['bigint', 'integer'])
    server.runSql(`CREATE FUNCTION pg_advisory_xact_lock(${type}) RETURNS void LANGUAGE sql AS 'select'`, url);
  behaveAsTheFamily(server, url);
  await migrate(url);
  for (const table of ['deliveries', 'entries', 'effects'])
    server.runSql(`ALTER SEQUENCE ${table}_id_seq CACHE 100`, url);
}

/** Settings of a database that a copy does not have. */
export function behaveAsTheFamily({ runSql }: Pick<PostgresServer, 'runSql'>, url: string): void {
  const name = new URL(url).pathname.slice(1);
  const settings = ["default_transaction_isolation = 'serializable'", 'search_path = public, pg_catalog'];
  runSql(settings.map((setting) => `ALTER DATABASE ${name} SET ${setting}`).join('; '), url);
}
