import type { Kysely } from 'kysely';
import type { Connection, SqlDialect } from '../dialect.ts';
import { kyselyOn } from '../kysely-on.ts';

/** The tables in which migrations are recorded. */
export interface MigrationTables {
  /** The migrations that were started, in the format of Kysely's migrator. */
  kysely_migration: { name: string; timestamp: string };
  /** The started migrations that are not complete: the current step, and the rows of it that are processed. */
  migration_progress: MigrationProgressRow;
  /** The started migrations with which older versions may run, for the older versions, which do not know them. */
  compatible_migrations: { name: string };
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
  /** The started migrations with which older versions may run. */
  readonly compatible: readonly string[];
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
  await db.schema
    .createTable('compatible_migrations')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.notNull().primaryKey())
    .execute();
}

/** @param hasTables whether {@link createMigrationTables} has run */
export async function readMigrationState(
  dialect: Pick<SqlDialect, 'kysely' | 'selectColumn'>,
  connection: Connection,
  hasTables = false,
): Promise<MigrationState> {
  const db = kyselyOn<MigrationTables>(dialect, connection);
  // Kysely's introspection of PostgreSQL fails if another process renames a column meanwhile.
  const exists = async (table: keyof MigrationTables) =>
    hasTables || (await dialect.selectColumn(table, 'name').execute(db)).rows.length > 0;
  const applied = (await exists('kysely_migration'))
    ? await db.selectFrom('kysely_migration').select('name').execute()
    : [];
  const unfinished = (await exists('migration_progress'))
    ? await db.selectFrom('migration_progress').selectAll().execute()
    : [];
  const compatible = (await exists('compatible_migrations'))
    ? await db.selectFrom('compatible_migrations').select('name').execute()
    : [];
  return { applied: applied.map(namesOf), unfinished, compatible: compatible.map(namesOf) };
}

function namesOf({ name }: { readonly name: string }): string {
  return name;
}

/**
 * Compares the names in the tables with the known migrations, oldest first: `missing` are not applied or not complete,
 * `unknown` are those of a newer version with which this one cannot run.
 */
export function compareMigrations(
  recorded: Record<'applied' | 'unfinished' | 'compatible', readonly string[]>,
  known: readonly string[],
) {
  const { applied, unfinished, compatible } = recorded;
  return {
    missing: known.filter((name) => !applied.includes(name) || unfinished.includes(name)),
    unknown: applied.filter((name) => !known.includes(name) && !compatible.includes(name)),
  };
}
