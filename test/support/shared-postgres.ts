import { systemClock } from '@tallyhook/platform/clock';
import { type PostgresServer, postgresPrograms, startPostgres } from '@tallyhook/platform/testing/postgres';
import { openDatabase } from 'listing-service/storage/database';
import type { TestProject } from 'vitest/node';
import { openStore } from '../../src/features/store.ts';

/** The PostgreSQL server of a test run. */
export interface SharedPostgres {
  readonly port: number;
  /** URLs of databases to copy: they have the tables and no rows. */
  readonly templates: {
    /** Of the bot. */
    readonly store: string;
    /** Of the bot, set up as other databases of the family behave: see `databases.ts`. */
    readonly family: string;
    /** Of the listing service. */
    readonly service: string;
  };
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Null if PostgreSQL is not installed. */
    postgres: SharedPostgres | null;
  }
}

/** For `globalSetup`: starts one server for all tests, if PostgreSQL is installed, and migrates databases to copy. */
export async function setup(project: TestProject): Promise<() => void> {
  const programs = postgresPrograms();
  const server = programs === null ? null : await startPostgres(programs, { settings });
  try {
    project.provide('postgres', server && { port: server.port, templates: await createTemplates(server) });
  } catch (error) {
    server?.stop();
    throw error;
  }
  return () => server?.stop();
}

const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=400'];

async function createTemplates(server: PostgresServer): Promise<SharedPostgres['templates']> {
  const [store, family, service] = [server.newDatabase(), server.newDatabase(), server.newDatabase()];
  for (const type of ['bigint', 'integer'])
    server.runSql(`CREATE FUNCTION pg_advisory_xact_lock(${type}) RETURNS void LANGUAGE sql AS 'select'`, family);
  behaveAsTheFamily(server, family);
  await Promise.all([
    ...[store, family].map(async (url) => (await openStore(url, systemClock, { thread: false })).close()),
    openDatabase(service).then((database) => database.destroy()),
  ]);
  for (const table of ['deliveries', 'entries', 'effects'])
    server.runSql(`ALTER SEQUENCE ${table}_id_seq CACHE 100`, family);
  for (const url of [store, family, service]) server.closeConnections(url);
  return { store, family, service };
}

/** Settings of a database that a copy does not have. */
export function behaveAsTheFamily({ runSql }: Pick<PostgresServer, 'runSql'>, url: string): void {
  const name = new URL(url).pathname.slice(1);
  const settings = ["default_transaction_isolation = 'serializable'", 'search_path = public, pg_catalog'];
  runSql(settings.map((setting) => `ALTER DATABASE ${name} SET ${setting}`).join('; '), url);
}
