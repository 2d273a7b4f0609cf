import type { DatabaseSync } from 'node:sqlite';
import { prepareDatabaseDirectory } from '@tallyhook/platform/database/database-directory';
import { literalLimits, sqliteDialect } from '@tallyhook/platform/database/sqlite-dialect';
import { createFileCheck, type DatabaseFiles, identifyFiles, releaseFiles } from '@tallyhook/platform/database-files';
import { once } from '@tallyhook/platform/memoize';
import {
  openSqlite,
  sqliteConnection,
  sqliteMigratingConnection,
  sqliteTransactions,
} from '@tallyhook/platform/sqlite';
import { queryBuilder } from '../query-builder.ts';
import type { Dialect, RecordBatch } from './dialect.ts';
import { sqliteRecord } from './sqlite-recording.ts';

/**
 * Pages (4 KB) in the write-ahead log after which a commit runs a checkpoint. More of them make each checkpoint longer,
 * which holds up the votes of that moment; with SQLite's default of 1,000, checkpoints take more of the writer's time.
 */
const checkpointPages = 2_000;
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
  const writing = sqliteTransactions(writer.get);
  const dataVersion = once(() => reader.get().prepare('PRAGMA data_version'));
  return {
    ...sqliteDialect,
    kysely: literalLimits,
    reading: sqliteConnection(reader.get),
    // SQLite counts the commits of other connections, and the reader commits nothing.
    dataVersion: () => Number(dataVersion().get()?.['data_version']),
    openWriting() {
      let record: RecordBatch | undefined;
      return {
        ...writing,
        record(jobs, hooks) {
          record ??= sqliteRecord(writer.get(), queryBuilder({ kysely: literalLimits }));
          return record(jobs, hooks);
        },
      };
    },
    migrating: sqliteMigratingConnection(writer.get, writing),
    files,
    checkFiles: createFileCheck(files),
    close: async () => {
      reader.close();
      writer.close();
      if (opened === null) releaseFiles(files);
    },
  };
}

/** Connects on first use: the main thread may never write, and the write worker never reads. */
function connectLazily(connect: () => DatabaseSync) {
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
  prepareDatabaseDirectory(path);
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
