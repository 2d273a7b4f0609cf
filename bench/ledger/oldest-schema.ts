import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { sqlite } from '../../src/store/dialect/sqlite.ts';
import { migrations } from '../../src/store/migrations/index.ts';

/** Creates a database with the schema of the first release, which never changes. tallyhook migrates it when it starts. */
export async function createOldestSchema(path: string): Promise<void> {
  const dialect = sqlite(path);
  const db = new Kysely<unknown>({ dialect: dialect.kysely });
  const [oldest] = Object.entries(migrations(dialect));
  if (oldest === undefined) throw new Error('There are no migrations.');
  const migrator = new Migrator({ db, provider: { getMigrations: async () => Object.fromEntries([oldest]) } });
  const { error } = await migrator.migrateToLatest();
  await db.destroy();
  await dialect.close();
  if (error !== undefined) throw error;
}
