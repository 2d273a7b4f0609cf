import type { Migration } from 'kysely/migration';
import type { Clock } from '../../platform/clock.ts';
import { minute } from '../../platform/durations.ts';
import { TallyhookError } from '../../platform/errors.ts';
import type { Connection, Dialect } from '../dialect/dialect.ts';
import { kyselyOn } from '../query-builder.ts';
import { migrations } from './index.ts';

/** How long another process may take with a migration (ms) before the start gives up. */
const patience = 10 * minute;
/** Between two tries for the lock (ms). */
const lockPause = 50;

/** The database was written by a newer tallyhook than this one. */
export class DatabaseTooNewError extends TallyhookError {
  constructor(unknown: readonly string[]) {
    super(
      'database_too_new',
      `The database was written by a newer tallyhook: it has the migrations ${unknown.join(', ')}.`,
      {
        hint: 'Start the newer version again, or restore the backup that was made before the upgrade.',
      },
    );
  }
}

/** Which migrations the database has, in the table that Kysely's own migrator would keep. */
interface Applied {
  kysely_migration: { name: string; timestamp: string };
}

/**
 * Brings the database up to this program: each migration and the note of it in one transaction, under the lock of all writers. So one
 * that fails leaves no trace, and of several processes that start at once one migrates. Kysely's migrator gives SQLite neither.
 * Throws {@link DatabaseTooNewError} for a database from the future, else what the driver throws.
 */
export async function migrate(dialect: Dialect, clock: Clock, known = migrations(dialect)): Promise<void> {
  const applied = await appliedMigrations(dialect, dialect.reading);
  if (missing(applied, known).length === 0) return;
  const until = clock.monotonic() + patience;
  while (await moreAfterNext(dialect, clock, known, until));
}

/** Applies the next migration, when its turn has come. Returns whether there are more. */
async function moreAfterNext(
  dialect: Dialect,
  clock: Clock,
  known: Readonly<Record<string, Migration>>,
  until: number,
): Promise<boolean> {
  const { migrating } = dialect;
  try {
    await migrating.begin();
    const [next, ...others] = missing(await appliedMigrations(dialect, migrating), known);
    if (next !== undefined) await apply(dialect, clock, next);
    await migrating.commit();
    return others.length > 0;
  } catch (error) {
    await migrating.rollback().catch(() => {});
    if (!dialect.isBusy(error) || clock.monotonic() > until) throw error;
    await clock.sleep(lockPause);
    return true;
  }
}

async function apply(dialect: Dialect, clock: Clock, { name, migration }: Named): Promise<void> {
  const db = kyselyOn<Applied>(dialect, dialect.migrating);
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

interface Named {
  readonly name: string;
  readonly migration: Migration;
}

/** What is known and not applied, oldest first. */
function missing(applied: readonly string[], known: Readonly<Record<string, Migration>>): Named[] {
  const unknown = applied.filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) throw new DatabaseTooNewError(unknown);
  return Object.entries(known)
    .filter(([name]) => !applied.includes(name))
    .map(([name, migration]) => ({ name, migration }));
}

async function appliedMigrations(dialect: Dialect, connection: Connection): Promise<string[]> {
  const db = kyselyOn<Applied>(dialect, connection);
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const rows = await db.selectFrom('kysely_migration').select('name').execute();
  return rows.map(({ name }) => name);
}
