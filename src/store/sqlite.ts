import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database, { type Statement } from 'better-sqlite3';
import { SqliteDialect, sql } from 'kysely';
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
 */
export function sqlite(path: string): Dialect {
  mkdirSync(dirname(path), { recursive: true });
  const reader = open(path);
  // Opened when it is first used: where another thread writes, this one has no need of it.
  let opened: Database.Database | undefined;
  const writer = () => {
    opened ??= open(path);
    return opened;
  };
  const writing = {
    ...connection(writer),
    begin: async () => void writer().exec('BEGIN IMMEDIATE'),
    commit: async () => void writer().exec('COMMIT'),
    // Some failures, a full disk among them, have rolled back by themselves.
    rollback: async () => void (writer().inTransaction && writer().exec('ROLLBACK')),
  };
  return {
    clustered: sql`without rowid`,
    jsonOf: (key, value) => sql`json_group_object(${key}, ${value})`,
    id: { type: 'integer', build: (column) => column.primaryKey().notNull() },
    kysely: new SqliteDialect({ database: async () => open(path) }),
    reading: connection(() => reader),
    writing,
    migrating: {
      ...writing,
      begin: async () => {
        writer().pragma(`cache_size = ${-migratingCache}`);
        await writing.begin();
      },
      commit: async () => {
        await writing.commit();
        writer().pragma('shrink_memory');
      },
    },
    isBusy: (error) => codeOf(error).startsWith('SQLITE_BUSY') || codeOf(error).startsWith('SQLITE_LOCKED'),
    isUnavailable: (error) => /^SQLITE_(FULL|READONLY|IOERR|CANTOPEN|CORRUPT|NOTADB|PERM)/.test(codeOf(error)),
    close: async () => {
      reader.close();
      opened?.close();
    },
  };
}

function open(path: string): Database.Database {
  const database = new Database(path, { timeout: openingTimeoutMs });
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma(`wal_autocheckpoint = ${checkpointPages}`);
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
  return database;
}

/** Statements are prepared once: per row in a transaction that is five times faster than compiling each anew. */
function connection(database: () => Database.Database): Connection {
  const known = new Map<string, Statement>();
  function prepared(text: string): Statement {
    let statement = known.get(text);
    if (statement === undefined) {
      statement = database().prepare(text);
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

function codeOf(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : '';
}
