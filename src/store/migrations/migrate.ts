import type { Migration } from 'kysely/migration';
import type { Clock } from '../../platform/clock.ts';
import { minute } from '../../platform/durations.ts';
import { TallyhookError } from '../../platform/errors.ts';
import type { Connection, Dialect } from '../dialect/dialect.ts';
import { kyselyOn } from '../query-builder.ts';
import { migrations } from './index.ts';

/** How long to wait for the migration of another process. */
const lockTimeoutMs = 10 * minute;
const lockRetryMs = 50;

/** The database was written by a newer version of tallyhook. */
export class DatabaseTooNewError extends TallyhookError {
  constructor(unknown: readonly string[]) {
    super(
      'database_too_new',
      `The database was written by a newer tallyhook: it has the unknown migrations ${unknown.join(', ')}.`,
      {
        hint: 'Start the newer version again, or restore the backup from before the upgrade.',
      },
    );
  }
}

/** The table of applied migrations, in the format of Kysely's migrator. */
interface MigrationTables {
  kysely_migration: { name: string; timestamp: string };
}

/**
 * Applies the missing migrations, each together with its record in one transaction under the writer lock. A failed
 * migration leaves no trace, and if several processes start at once, each migration is applied once. Kysely's migrator
 * guarantees neither for SQLite. Throws {@link DatabaseTooNewError} for a database of a newer version, otherwise what
 * the driver throws.
 */
export async function migrate(dialect: Dialect, clock: Clock, allMigrations = migrations(dialect)): Promise<void> {
  const appliedNames = await appliedMigrations(dialect, dialect.reading);
  if (missingMigrations(appliedNames, allMigrations).length === 0) return;
  const deadline = clock.monotonic() + lockTimeoutMs;
  while (await applyNext(dialect, clock, allMigrations, deadline));
}

/** Applies the next missing migration, or waits for the lock. Returns whether to call it again. */
async function applyNext(
  dialect: Dialect,
  clock: Clock,
  allMigrations: Readonly<Record<string, Migration>>,
  deadline: number,
): Promise<boolean> {
  const { migrating } = dialect;
  try {
    await migrating.begin();
    const [next, ...others] = missingMigrations(await appliedMigrations(dialect, migrating), allMigrations);
    if (next !== undefined) await apply(dialect, clock, next);
    await migrating.commit();
    return others.length > 0;
  } catch (error) {
    await migrating.rollback().catch(() => {});
    if (!dialect.isBusy(error) || clock.monotonic() > deadline) throw error;
    await clock.sleep(lockRetryMs);
    return true;
  }
}

async function apply(dialect: Dialect, clock: Clock, { name, migration }: NamedMigration): Promise<void> {
  const db = kyselyOn<MigrationTables>(dialect, dialect.migrating);
  await db.schema
    .createTable('kysely_migration')
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute();
  await migration.up(db);
  await db
    .insertInto('kysely_migration')
    .values({ name, timestamp: new Date(clock.now()).toISOString() })
    .execute();
}

interface NamedMigration {
  readonly name: string;
  readonly migration: Migration;
}

/**
 * The migrations that are not applied, oldest first. Throws {@link DatabaseTooNewError} if an applied one is
 * unknown.
 */
function missingMigrations(
  appliedNames: readonly string[],
  allMigrations: Readonly<Record<string, Migration>>,
): NamedMigration[] {
  const unknown = appliedNames.filter((name) => !Object.hasOwn(allMigrations, name));
  if (unknown.length > 0) throw new DatabaseTooNewError(unknown);
  return Object.entries(allMigrations)
    .filter(([name]) => !appliedNames.includes(name))
    .map(([name, migration]) => ({ name, migration }));
}

async function appliedMigrations(dialect: Dialect, connection: Connection): Promise<string[]> {
  const db = kyselyOn<MigrationTables>(dialect, connection);
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const rows = await db.selectFrom('kysely_migration').select('name').execute();
  return rows.map(({ name }) => name);
}
