import { dirname } from 'node:path';
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import { monitorFiles } from '../../platform/database-file-monitor.ts';
import { createFileCheck, identifyFiles, releaseFiles } from '../../platform/database-files.ts';
import { second } from '../../platform/durations.ts';
import { TallyhookError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { makeDirectory } from '../../platform/make-directory.ts';
import { forKysely, openSqlite } from '../../platform/sqlite.ts';
import { createDriver, type DriverOptions } from './driver.ts';
import * as firstTables from './migrations/001-first-tables.ts';
import type { ServiceTables } from './tables.ts';

export type Database = Kysely<ServiceTables>;
/** What every function of this room takes first: the database, or the transaction that it shall be part of. */
export type Sql = Kysely<ServiceTables> | Transaction<ServiceTables>;

const migrations = { '001-first-tables': firstTables };

/** Two processes that create the file at once get in each other's way; nobody waits for this one yet (ms). */
const openingTimeout = 5 * second;

/**
 * Opens the service's database and brings its tables up to date. With a `log` it reports there when the file is deleted
 * or replaced. Whatever writes throws StoreUnavailable while another process holds the lock for too long.
 * @param address `sqlite:` and a path, relative or absolute; `sqlite::memory:` (or `:memory:`) forgets everything at the end.
 * @throws TallyhookError `service_database` when it cannot be opened or brought up to date.
 */
export async function openDatabase(address: string, log?: Log): Promise<Database> {
  const path = address.replace(/^sqlite:/, '');
  try {
    const driver = await createDriver(path === ':memory:' ? inMemory(log) : inFile(path, log));
    const database = new Kysely<ServiceTables>({
      dialect: {
        createAdapter: () => new ConcurrentAdapter(),
        createDriver: () => driver,
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    });
    const { error } = await new Migrator({
      db: database,
      provider: { getMigrations: () => Promise.resolve(migrations) },
    }).migrateToLatest();
    if (error !== undefined) throw error;
    return database;
  } catch (cause) {
    throw new TallyhookError('service_database', `The service's database "${path}" cannot be opened.`, {
      cause,
      hint: 'Name a file that this user may write, for example --database sqlite:data/service.db.',
    });
  }
}

/** The driver orders what is concurrent by itself, and migrates in one transaction: of two processes only one does. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function inMemory(log: Log | undefined): DriverOptions {
  const only = forKysely(openConnection(':memory:'));
  return { writer: only, reader: only, checkFiles: () => null, close: only.close, log };
}

function inFile(path: string, log: Log | undefined): DriverOptions {
  makeDirectory(dirname(path));
  const [writer, reader] = [openConnection(path), openConnection(path)];
  const files = identifyFiles(path);
  const checkFiles = createFileCheck(files);
  const monitor = log && monitorFiles(checkFiles, log);
  return {
    writer: forKysely(writer),
    reader: forKysely(reader),
    checkFiles,
    log,
    close() {
      monitor?.stop();
      reader.close();
      writer.close();
      releaseFiles(files);
    },
  };
}

function openConnection(path: string) {
  const connection = openSqlite(path, { busyTimeoutMs: openingTimeout });
  connection.exec('PRAGMA journal_mode = WAL');
  // A vote that was confirmed, or a webhook that was queued, survives a power cut.
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec('PRAGMA foreign_keys = ON');
  // The first read creates the files beside it.
  connection.exec('PRAGMA schema_version');
  connection.exec('PRAGMA busy_timeout = 0');
  return connection;
}
