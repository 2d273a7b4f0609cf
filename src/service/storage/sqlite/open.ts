import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { systemClock as clock } from '../../../platform/clock.ts';
import { runMigrations } from '../../../platform/database/migrations/migrate.ts';
import { sqliteConnection, sqliteMigratingConnection } from '../../../platform/database/sqlite-connection.ts';
import { sqliteDialect } from '../../../platform/database/sqlite-dialect.ts';
import { monitorFiles } from '../../../platform/database-file-monitor.ts';
import { createFileCheck, identifyFiles, releaseFiles } from '../../../platform/database-files.ts';
import { second } from '../../../platform/durations.ts';
import type { Log } from '../../../platform/log.ts';
import { makeDirectory } from '../../../platform/make-directory.ts';
import { saveDeletedLog } from '../../../platform/save-deleted-log.ts';
import { forKysely, openSqlite } from '../../../platform/sqlite.ts';
import type { Execute, OpenOptions, SqliteEngine } from '../engine.ts';
import { migrations } from '../migrations/index.ts';
import { createDriver, type DriverOptions } from './driver.ts';
import { createRecordVote } from './record-vote.ts';
import { withStatementCache } from './statement-cache.ts';

/** SQLite's busy timeout while the file is opened (ms): several processes may create it at the same time. */
const openTimeoutMs = 5 * second;

interface OpenFile {
  readonly writer: DatabaseSync;
  /** The same as `writer` if only one connection is possible. */
  readonly reader: DatabaseSync;
  readonly checkFiles: DriverOptions['checkFiles'];
  readonly close: () => void;
}

/**
 * Opens a file and runs the missing migrations.
 * @param path `:memory:` for a database in memory
 */
export async function openSqliteEngine(path: string, { log, onMigration }: OpenOptions): Promise<SqliteEngine> {
  const file = path === ':memory:' ? inMemory() : inFile(path, log);
  try {
    const database = {
      ...sqliteDialect,
      reading: sqliteConnection(() => file.reader),
      migrating: sqliteMigratingConnection(() => file.writer),
    };
    await runMigrations(database, clock, migrations(sqliteDialect), { onProgress: onMigration });
    for (const connection of [file.writer, file.reader]) connection.exec('PRAGMA busy_timeout = 0');
    const reader = withStatementCache(forKysely(file.reader));
    const writer = file.reader === file.writer ? reader : withStatementCache(forKysely(file.writer));
    const driver = await createDriver({ writer, reader, checkFiles: file.checkFiles, log });
    const readNow: Execute = (text, parameters) => reader.prepare(text).all(parameters);
    return {
      name: 'sqlite',
      dialect: sqliteDialect,
      driver,
      recordVote: createRecordVote(driver),
      readNow: reader === writer ? null : readNow,
      transact: driver.transact,
      close: async () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

function inMemory(): OpenFile {
  const connection = open(':memory:');
  return { writer: connection, reader: connection, checkFiles: () => null, close: () => connection.close() };
}

function inFile(path: string, log: Log | undefined): OpenFile {
  makeDirectory(dirname(path));
  const [writer, reader] = [open(path), open(path)];
  const files = identifyFiles(path);
  const checkFiles = createFileCheck(files);
  const saveLog = () => saveDeletedLog(writer, files);
  const monitor = log && monitorFiles({ check: checkFiles, saveLog, reopen: null, log });
  return {
    writer,
    reader,
    checkFiles,
    close() {
      monitor?.stop();
      reader.close();
      writer.close();
      releaseFiles(files);
    },
  };
}

function open(path: string): DatabaseSync {
  const connection = openSqlite(path, { busyTimeoutMs: openTimeoutMs });
  connection.exec('PRAGMA journal_mode = WAL');
  // Confirmed votes and queued webhooks must survive a power failure.
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec('PRAGMA foreign_keys = ON');
  // The first read creates the -wal and -shm files.
  connection.exec('PRAGMA schema_version');
  return connection;
}
