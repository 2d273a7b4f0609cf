import type { SqlDialect } from '@tallyhook/platform/database/dialect';
import type { Migration } from '@tallyhook/platform/database/migrations/migrate';
import { sqliteDialect } from '@tallyhook/platform/database/sqlite-dialect';
import { sql } from 'kysely';
import { first } from './001-first.ts';

/**
 * Every migration of the service, oldest first. A released migration is never changed. The first one is changed in
 * place until 0.1.0 is released. Count its name up with each change, so that a database of an earlier state is refused.
 */
export function migrations(dialect: SqlDialect): Record<string, Migration> {
  return { '001-service-5': migration(first(dialect)) };
}

/** The names of all migrations, oldest first. */
export const migrationNames: readonly string[] = Object.keys(migrations(sqliteDialect));

function migration(statements: readonly string[]): Migration {
  return {
    async up(database) {
      for (const statement of statements) await sql.raw(statement).execute(database);
    },
  };
}
