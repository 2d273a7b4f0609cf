import type { TestProject } from 'vitest/node';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres.ts';

/** The PostgreSQL server of a test run. */
export interface SharedPostgres {
  readonly port: number;
  /** URLs of databases to copy, which have the tables of a program and no rows. */
  readonly templates: Readonly<Record<string, string>>;
}

/** Fills an empty database, which is then copied for each test. */
export type CreateTemplate = (url: string, server: PostgresServer) => Promise<void>;

declare module 'vitest' {
  interface ProvidedContext {
    /** Null if PostgreSQL is not installed. */
    postgres: SharedPostgres | null;
  }
}

const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=400'];

/** For `globalSetup`: starts one server for all tests, if PostgreSQL is installed, with databases to copy. Returns what stops it. */
export async function startSharedPostgres(
  project: TestProject,
  templates: Readonly<Record<string, CreateTemplate>>,
): Promise<() => void> {
  const programs = postgresPrograms();
  const server = programs === null ? null : await startPostgres(programs, { settings });
  try {
    project.provide('postgres', server && { port: server.port, templates: await fill(server, templates) });
  } catch (error) {
    server?.stop();
    throw error;
  }
  return () => server?.stop();
}

async function fill(server: PostgresServer, templates: Readonly<Record<string, CreateTemplate>>) {
  const filled = Object.entries(templates).map(async ([name, create]) => {
    const url = server.newDatabase();
    await create(url, server);
    server.closeConnections(url);
    return [name, url] as const;
  });
  return Object.fromEntries(await Promise.all(filled));
}
