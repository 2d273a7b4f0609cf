import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type SelectQueryNode, SqliteDialect, SqliteQueryCompiler, type SqliteStatement, sql } from 'kysely';
import { createFileCheck, type DatabaseFiles, identifyFiles, releaseFiles } from '../../platform/database-files.ts';
import { makeDirectory } from '../../platform/make-directory.ts';
import { forKysely, isBusy, openSqlite, prepare, resultCode } from '../../platform/sqlite.ts';
import { queryBuilder } from '../query-builder.ts';
import type { Connection, Dialect } from './dialect.ts';
import { sqliteRecord } from './sqlite-recording.ts';

/**
 * Pages (4 KB) in the write-ahead log after which a commit runs a checkpoint. More of them make each checkpoint longer,
 * which holds up the votes of that moment; with SQLite's default of 1,000, checkpoints take more of the writer's time.
 */
const checkpointPages = 2_000;
/** Page cache during migrations, which scan whole tables (KiB). It halves the time for a million entries. */
const migrationCacheKib = 200_000;
/** Waiting for a lock blocks the thread, so the timeout is short; the group commit retries without blocking. */
const busyTimeoutMs = 20;
/** Longer, because two processes may create the file at once, and a starting process may block. */
const openTimeoutMs = 5_000;

/**
 * SQLite in a file. WAL with synchronous=FULL: a commit is on disk when it returns.
 * One connection writes and another reads, so that a read never sees part of a transaction.
 * Throws what `node:fs` and `node:sqlite` throw.
 * @param opened the files of this database if another thread has opened it already; then nothing is created
 */
export function sqlite(path: string, opened: DatabaseFiles | null = null): Dialect {
  const reader = connectLazily(() => open(path, opened !== null));
  const writer = connectLazily(() => open(path, true));
  const files = opened ?? create(path, reader.get);
  const writing = {
    ...connection(writer.get),
    begin: async () => writer.get().exec('BEGIN IMMEDIATE'),
    commit: async () => writer.get().exec('COMMIT'),
    // SQLite rolls back itself after some errors, such as a full disk.
    rollback: async () => void (writer.get().isTransaction && writer.get().exec('ROLLBACK')),
  };
  const kysely = new DialectWithoutRowLocks({ database: async () => forKysely(open(path, true)) });
  const dataVersion = lazy(() => reader.get().prepare('PRAGMA data_version'));
  const record = lazy(() => sqliteRecord(writer.get(), queryBuilder({ kysely })));
  return {
    blobType: 'blob',
    columnIfNotExists: sql``,
    selectColumn: (table, column) => sql`select name from pragma_table_info(${table}) where name = ${column}`,
    cascade: sql``,
    withoutRowid: sql`without rowid`,
    // Pages are merged when rows are deleted, not when rows become shorter.
    reusesShortenedRows: false,
    jsonObjectAgg: (key, value) => sql`json_group_object(${key}, ${value})`,
    idColumn: { type: 'integer', build: (column) => column.primaryKey().notNull() },
    kysely,
    reading: connection(reader.get),
    // SQLite counts the commits of other connections, and the reader commits nothing.
    dataVersion: () => Number(dataVersion().get()?.['data_version']),
    openWriting: () => ({ ...writing, record: (jobs) => record()(jobs) }),
    migrating: {
      ...writing,
      begin: async () => {
        writer.get().exec(`PRAGMA cache_size = ${-migrationCacheKib}`);
        await writing.begin();
      },
      release: async () => writer.get().exec('PRAGMA shrink_memory'),
    },
    defineFunction: (name, run) => writer.get().function(name, { deterministic: true }, (text) => run(String(text))),
    isBusy,
    isUnavailable: (error) => unavailableCodes.includes(resultCode(error)),
    files,
    checkFiles: createFileCheck(files),
    close: async () => {
      reader.close();
      writer.close();
      if (opened === null) releaseFiles(files);
    },
  };
}

/** Omits `for update` from statements for both databases: SQLite has no row locks, because it locks the whole file. */
class DialectWithoutRowLocks extends SqliteDialect {
  override createQueryCompiler() {
    return new CompilerWithoutRowLocks();
  }
}

class CompilerWithoutRowLocks extends SqliteQueryCompiler {
  protected override visitSelectQuery({ endModifiers: _, ...node }: SelectQueryNode): void {
    super.visitSelectQuery(node);
  }
}

/** Connects on first use: the main thread may never write, and the write worker never reads. */
function connectLazily(connect: () => DatabaseSync): { get(): DatabaseSync; close(): void } {
  let database: DatabaseSync | undefined;
  return {
    get() {
      database ??= connect();
      return database;
    },
    close: () => database?.close(),
  };
}

function lazy<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

function create(path: string, reader: () => DatabaseSync): DatabaseFiles {
  makeDirectory(dirname(path));
  // The first read creates the -wal and -shm files.
  reader().exec('PRAGMA schema_version');
  return identifyFiles(path);
}

function open(path: string, mustExist: boolean): DatabaseSync {
  const database = openSqlite(path, { busyTimeoutMs: openTimeoutMs, mustExist });
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  return database;
}

/** Caches prepared statements: within a transaction, a row then takes a fifth of the time. */
function connection(database: () => DatabaseSync): Connection {
  const cache = new Map<string, SqliteStatement>();
  function cachedStatement(text: string): SqliteStatement {
    let statement = cache.get(text);
    if (statement === undefined) {
      statement = prepare(database(), text);
      cache.set(text, statement);
    }
    return statement;
  }
  return {
    async run({ sql: text, parameters }) {
      const statement = cachedStatement(text);
      if (statement.reader) return statement.all(parameters);
      statement.run(parameters);
      return [];
    },
  };
}

/**
 * SQLite's primary result codes (sqlite.org/rescode.html): PERM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN and NOTADB.
 */
const unavailableCodes: readonly number[] = [3, 8, 10, 11, 13, 14, 26];
