import type { Kysely } from 'kysely';
import type { Connection, Dialect } from '../dialect/dialect.ts';
import { kyselyOn } from '../query-builder.ts';

/** The tables in which migrations are recorded. */
export interface MigrationTables {
  /** The migrations that were started, in the format of Kysely's migrator. */
  kysely_migration: { name: string; timestamp: string };
  /** The started migrations that are not complete: the current step, and the rows of it that are processed. */
  migration_progress: MigrationProgressRow;
}

export interface MigrationProgressRow {
  name: string;
  step: number;
  /** The position of the last processed row. */
  cursor: string | null;
  rows_done: number;
  rows_total: number | null;
}

/** What is recorded in a database: the names of the started migrations, and the progress of those not complete. */
export interface MigrationState {
  readonly applied: readonly string[];
  readonly unfinished: readonly MigrationProgressRow[];
}

export async function createMigrationTables(db: Kysely<MigrationTables>): Promise<void> {
  await db.schema
    .createTable('kysely_migration')
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('migration_progress')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.notNull().primaryKey())
    .addColumn('step', 'integer', (column) => column.notNull())
    .addColumn('cursor', 'text')
    .addColumn('rows_done', 'bigint', (column) => column.notNull())
    .addColumn('rows_total', 'bigint')
    .execute();
}

/** @param hasTables whether {@link createMigrationTables} has run */
export async function readMigrationState(
  dialect: Dialect,
  connection: Connection,
  hasTables = false,
): Promise<MigrationState> {
  const db = kyselyOn<MigrationTables>(dialect, connection);
  const tables = hasTables ? [] : await db.introspection.getTables({ withInternalKyselyTables: true });
  const exists = (table: string) => hasTables || tables.some(({ name }) => name === table);
  const applied = exists('kysely_migration') ? await db.selectFrom('kysely_migration').select('name').execute() : [];
  const unfinished = exists('migration_progress')
    ? await db.selectFrom('migration_progress').selectAll().execute()
    : [];
  return { applied: applied.map(({ name }) => name), unfinished };
}

/**
 * Compares the names in the two tables with the known migrations, oldest first: `missing` are not applied or not
 * complete, `unknown` are those of a newer version.
 */
export function compareMigrations(
  { applied, unfinished }: { readonly applied: readonly string[]; readonly unfinished: readonly string[] },
  known: readonly string[],
) {
  return {
    missing: known.filter((name) => !applied.includes(name) || unfinished.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}
