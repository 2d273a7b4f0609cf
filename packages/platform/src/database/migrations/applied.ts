import type { Kysely } from 'kysely';
import type { Connection, SqlDialect } from '../dialect.ts';
import { kyselyOn } from '../kysely-on.ts';

/** The tables in which migrations are recorded. */
export interface MigrationTables {
  /** The applied migrations, in the format of Kysely's migrator. */
  kysely_migration: { name: string; timestamp: string };
  /** The applied migrations with which older versions may run, for the older versions, which do not know them. */
  compatible_migrations: { name: string };
}

/** The names of migrations that a database has recorded. */
export interface MigrationState {
  readonly applied: readonly string[];
  /** The applied migrations with which older versions may run. */
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
  const compatible = (await exists('compatible_migrations'))
    ? await db.selectFrom('compatible_migrations').select('name').execute()
    : [];
  return { applied: applied.map(namesOf), compatible: compatible.map(namesOf) };
}

function namesOf({ name }: { readonly name: string }): string {
  return name;
}

/**
 * Compares the names in the tables with the known migrations, oldest first: `missing` are not applied, `unknown` are
 * those of a newer version with which this one cannot run.
 */
export function compareMigrations({ applied, compatible }: MigrationState, known: readonly string[]) {
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name) && !compatible.includes(name)),
  };
}
