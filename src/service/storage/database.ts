import { dirname } from 'node:path';
import { Kysely, type SqliteDatabase, SqliteDialect, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import { second } from '../../clock.ts';
import { TallyhookError } from '../../errors.ts';
import { makeDirectory } from '../../make-directory.ts';
import { forKysely, openSqlite } from '../../sqlite-file.ts';
import * as firstTables from './migrations/001-first-tables.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
/** What every function of this room takes first: the database, or the transaction that it shall be part of. */
export type Sql = Kysely<Tables> | Transaction<Tables>;

const migrations = { '001-first-tables': firstTables };

/**
 * Opens the service's database and brings its tables up to date.
 * @param address `sqlite:` and a path, relative or absolute; `sqlite::memory:` (or `:memory:`) forgets everything at the end.
 * @throws TallyhookError `service_database` when it cannot be opened or brought up to date.
 */
export async function openDatabase(address: string): Promise<Database> {
  const path = address.replace(/^sqlite:/, '');
  try {
    if (path !== ':memory:') makeDirectory(dirname(path));
    const database = new Kysely<Tables>({ dialect: new SqliteDialect({ database: openFile(path) }) });
    const { error } = await new Migrator({
      db: database,
      provider: { getMigrations: () => Promise.resolve(migrations) },
    }).migrateToLatest();
    if (error !== undefined) throw error;
    return database;
  } catch (cause) {
    throw new TallyhookError('service_database', `The service's database "${path}" cannot be opened.`, {
      cause,
      cure: 'Name a file that this user may write, for example --database sqlite:data/service.db.',
    });
  }
}

function openFile(path: string): SqliteDatabase {
  const file = openSqlite(path, { timeout: 5 * second });
  file.exec('PRAGMA journal_mode = WAL');
  // A vote that was confirmed, or a webhook that was queued, survives a power cut.
  file.exec('PRAGMA synchronous = FULL');
  file.exec('PRAGMA foreign_keys = ON');
  return forKysely(file);
}
