import { dirname } from 'node:path';
import {
  type CompiledQuery,
  type Dialect,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Transaction,
} from 'kysely';
import { Migrator } from 'kysely/migration';
import { monitorFiles } from '../../platform/database-file-monitor.ts';
import { createFileCheck, identifyFiles, releaseFiles } from '../../platform/database-files.ts';
import { second } from '../../platform/durations.ts';
import { TallyhookError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { makeDirectory } from '../../platform/make-directory.ts';
import { forKysely, isBusy, openSqlite } from '../../platform/sqlite.ts';
import { createDriver, type DriverOptions, type Execute, type ServiceDriver } from './driver.ts';
import * as firstTables from './migrations/001-first-tables.ts';
import * as reservations from './migrations/002-reservations.ts';
import * as counts from './migrations/003-counts.ts';
import * as deliveryQueues from './migrations/004-delivery-queues.ts';
import * as owners from './migrations/005-owners.ts';
import * as moderation from './migrations/007-moderation.ts';
import * as discordSignIn from './migrations/009-discord-sign-in.ts';
import { withStatementCache } from './statement-cache.ts';
import type { ServiceTables } from './tables.ts';

/** The database of the service. */
export class Database extends Kysely<ServiceTables> {
  readonly #readNow: Execute | null;
  readonly #driver: ServiceDriver;

  /** @param readNow null if reads have to wait for transactions */
  constructor(dialect: Dialect, driver: ServiceDriver, readNow: Execute | null) {
    super({ dialect });
    this.#driver = driver;
    this.#readNow = readNow;
  }

  /**
   * Runs `work` in a transaction, without a turn of the event loop between its statements. Rejects with what it throws,
   * or a StoreUnavailableError.
   */
  transact<Result>(work: (execute: Execute) => Result): Promise<Result> {
    return this.#driver.transact(work);
  }

  /**
   * Reads outside a transaction, at once if possible: kysely's own way takes longer than a small statement.
   * @param query compiled once
   * @param parameters instead of those that it was compiled with
   */
  read<Found>(query: CompiledQuery<Found>, parameters: readonly unknown[]): Found[] | Promise<Found[]> {
    if (this.#readNow !== null) {
      try {
        return this.#readNow(query.sql, parameters) as Found[];
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
    return this.executeQuery<Found>({ ...query, parameters }).then(({ rows }) => rows);
  }
}

/**
 * The first parameter of every function in this folder: the database, or the transaction that the statement is part of.
 */
export type Sql = Kysely<ServiceTables> | Transaction<ServiceTables>;

const migrations = {
  '001-first-tables': firstTables,
  '002-reservations': reservations,
  '003-counts': counts,
  '004-delivery-queues': deliveryQueues,
  '005-owners': owners,
  '007-moderation': moderation,
  '009-discord-sign-in': discordSignIn,
};

/** SQLite's busy timeout while the file is opened (ms): several processes may create it at the same time. */
const openTimeoutMs = 5 * second;

/**
 * Opens the service's database and runs its migrations. With a `log`, a deleted or replaced file is logged. Writes
 * throw a StoreUnavailableError while another process holds the lock for too long.
 * @param address `sqlite:` and a path, relative or absolute; `sqlite::memory:` (or `:memory:`) for a database in memory
 * @throws TallyhookError `service_database` if it cannot be opened or migrated
 */
export async function openDatabase(address: string, log?: Log): Promise<Database> {
  const path = address.replace(/^sqlite:/, '');
  try {
    const options = path === ':memory:' ? inMemory(log) : inFile(path, log);
    const driver = await createDriver(options);
    const { reader } = options;
    const dialect = {
      createAdapter: () => new ConcurrentAdapter(),
      createDriver: () => driver,
      createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    };
    const readNow: Execute = (text, parameters) => reader.prepare(text).all(parameters);
    const database = new Database(dialect, driver, reader === options.writer ? null : readNow);
    const { error } = await new Migrator({
      db: database,
      provider: { getMigrations: () => Promise.resolve(migrations) },
      // Parts of a release may be merged in any order.
      allowUnorderedMigrations: true,
    }).migrateToLatest();
    if (error !== undefined) throw error;
    return database;
  } catch (cause) {
    throw new TallyhookError('service_database', `Cannot open the service database "${path}".`, {
      cause,
      hint: 'Use a path that this user may write to, for example --database sqlite:data/service.db.',
    });
  }
}

/**
 * The driver serializes transactions itself, so kysely need not. Migrations run in one transaction, so only one process
 * migrates.
 */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function inMemory(log: Log | undefined): DriverOptions {
  const connection = withStatementCache(forKysely(openConnection(':memory:')));
  return { writer: connection, reader: connection, checkFiles: () => null, close: connection.close, log };
}

function inFile(path: string, log: Log | undefined): DriverOptions {
  makeDirectory(dirname(path));
  const [writer, reader] = [openConnection(path), openConnection(path)];
  const files = identifyFiles(path);
  const checkFiles = createFileCheck(files);
  const monitor = log && monitorFiles(checkFiles, log);
  return {
    writer: withStatementCache(forKysely(writer)),
    reader: withStatementCache(forKysely(reader)),
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
  const connection = openSqlite(path, { busyTimeoutMs: openTimeoutMs });
  connection.exec('PRAGMA journal_mode = WAL');
  // Confirmed votes and queued webhooks must survive a power failure.
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec('PRAGMA foreign_keys = ON');
  // The first read creates the -wal and -shm files.
  connection.exec('PRAGMA schema_version');
  connection.exec('PRAGMA busy_timeout = 0');
  return connection;
}
