import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { TallyhookError } from '../errors.ts';
import type { Dialect } from './dialect.ts';
import { migrations } from './migrations/index.ts';

/** The database was written by a newer tallyhook than this one. */
export class DatabaseTooNew extends TallyhookError {
  constructor(unknown: readonly string[]) {
    super(
      'database_too_new',
      `The database was written by a newer tallyhook: it has the migrations ${unknown.join(', ')}.`,
      {
        cure: 'Start the newer version again, or restore the backup that was made before the upgrade.',
      },
    );
  }
}

/** Brings the database up to this program, each migration in a transaction. Throws {@link DatabaseTooNew} for one from the future. */
export async function migrate(dialect: Dialect): Promise<void> {
  const db = new Kysely<unknown>({ dialect: dialect.kysely });
  const known = migrations(dialect);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => known } });
  try {
    const applied = await appliedMigrations(db);
    const unknown = applied.filter((name) => !(name in known));
    if (unknown.length > 0) throw new DatabaseTooNew(unknown);
    if (applied.length === Object.keys(known).length) return;
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  } finally {
    await db.destroy();
  }
}

async function appliedMigrations(db: Kysely<unknown>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const rows = await (db as Kysely<{ kysely_migration: { name: string } }>)
    .selectFrom('kysely_migration')
    .select('name')
    .execute();
  return rows.map(({ name }) => name);
}
