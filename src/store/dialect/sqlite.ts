import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { SqliteDialect, type SqliteStatement, sql } from 'kysely';
import { createFileCheck, type DatabaseFiles, identifyFiles, releaseFiles } from '../../platform/database-files.ts';
import { makeDirectory } from '../../platform/make-directory.ts';
import { forKysely, isBusy, openSqlite, prepare, resultCode } from '../../platform/sqlite.ts';
import type { Connection, Dialect } from './dialect.ts';

/**
 * Pages (4 KB) after which the write-ahead log is folded back. Whoever commits then waits for it, some 40 ms. The default of 1,000 would
 * cost a third of the storage time under load.
 */
const checkpointPages = 10_000;
/** Memory for pages while a migration goes through whole tables (KiB): one of a million entries takes half as long with it. */
const migratingCache = 200_000;
/** Waiting for a lock blocks the thread, so it is kept short; the group commit waits without blocking. */
const busyTimeoutMs = 20;
/** Two processes that create the file at once get in each other's way; at the start nobody waits for this one yet. */
const openingTimeoutMs = 5_000;

/**
 * SQLite in a file. WAL with synchronous=FULL: a commit is on disk when it returns.
 * One connection writes and another reads, so that a read never sees half a transaction.
 * Throws what `node:fs` and `node:sqlite` throw.
 * @param opened the files of this database, where another thread has it open already: then nothing is created
 */
export function sqlite(path: string, opened: DatabaseFiles | null = null): Dialect {
  const reader = lazy(() => open(path, opened !== null));
  const writer = lazy(() => open(path, true));
  const files = opened ?? create(path, reader.get);
  const writing = {
    ...connection(writer.get),
    begin: async () => writer.get().exec('BEGIN IMMEDIATE'),
    commit: async () => writer.get().exec('COMMIT'),
    // Some failures, a full disk among them, have rolled back by themselves.
    rollback: async () => void (writer.get().isTransaction && writer.get().exec('ROLLBACK')),
  };
  return {
    withoutRowid: sql`without rowid`,
    jsonObjectAgg: (key, value) => sql`json_group_object(${key}, ${value})`,
    idColumn: { type: 'integer', build: (column) => column.primaryKey().notNull() },
    kysely: new SqliteDialect({ database: async () => forKysely(open(path, true)) }),
    reading: connection(reader.get),
    writing,
    migrating: {
      ...writing,
      begin: async () => {
        writer.get().exec(`PRAGMA cache_size = ${-migratingCache}`);
        await writing.begin();
      },
      commit: async () => {
        await writing.commit();
        writer.get().exec('PRAGMA shrink_memory');
      },
    },
    isBusy,
    isUnavailable: (error) => unavailable.includes(resultCode(error)),
    files,
    checkFiles: createFileCheck(files),
    close: async () => {
      reader.close();
      writer.close();
      if (opened === null) releaseFiles(files);
    },
  };
}

/** Where another thread writes, this one needs no connection for it, and that thread none for reading. */
function lazy(connect: () => DatabaseSync): { get(): DatabaseSync; close(): void } {
  let database: DatabaseSync | undefined;
  return {
    get() {
      database ??= connect();
      return database;
    },
    close: () => database?.close(),
  };
}

function create(path: string, reader: () => DatabaseSync): DatabaseFiles {
  makeDirectory(dirname(path));
  // The first read creates the files beside it.
  reader().exec('PRAGMA schema_version');
  return identifyFiles(path);
}

function open(path: string, mustExist: boolean): DatabaseSync {
  const database = openSqlite(path, { busyTimeoutMs: openingTimeoutMs, mustExist });
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  return database;
}

/** Statements are prepared once: per row in a transaction that is five times faster than compiling each anew. */
function connection(database: () => DatabaseSync): Connection {
  const known = new Map<string, SqliteStatement>();
  function prepared(text: string): SqliteStatement {
    let statement = known.get(text);
    if (statement === undefined) {
      statement = prepare(database(), text);
      known.set(text, statement);
    }
    return statement;
  }
  return {
    async run({ sql: text, parameters }) {
      const statement = prepared(text);
      if (statement.reader) return statement.all(parameters);
      statement.run(parameters);
      return [];
    },
    // A quarter cheaper than `returning`.
    async insert({ sql: text, parameters }) {
      const { changes, lastInsertRowid } = prepared(text).run(parameters);
      return changes === 0 ? null : Number(lastInsertRowid);
    },
  };
}

/** SQLite's primary result codes (sqlite.org/rescode.html): PERM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN and NOTADB. */
const unavailable: readonly number[] = [3, 8, 10, 11, 13, 14, 26];
