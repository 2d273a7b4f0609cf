import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { BoundedMap } from './bounded-map.ts';
import { createPrivateFile } from './create-private-file.ts';
import type { Connection, MigratingConnection, Transactions } from './database/dialect.ts';

/** Page cache of a connection. SQLite's default of 2 MB is less than the balances of a large community. */
const cacheKib = 16_000;

/** Node's SQLite, loaded by the first use: the package can be imported on a Node that has none, and says which it needs. */
export const nodeSqlite = () => process.getBuiltinModule('node:sqlite');

/**
 * Opens a SQLite file, or `:memory:`, with Node's SQLite. Creates a file that only its owner can read (mode 0600). A
 * process must not use a second SQLite library on the same file: each would release the other's locks. Throws what
 * `node:fs` and `node:sqlite` throw.
 * @param options.busyTimeoutMs how long a statement waits for a lock of another connection. It blocks the thread
 * @param options.mustExist throws what `node:sqlite` throws if the file is missing, instead of creating it; default false
 */
export function openSqlite(
  path: string,
  options: { readonly busyTimeoutMs: number; readonly mustExist?: boolean },
): DatabaseSync {
  const { busyTimeoutMs: timeout, mustExist = false } = options;
  if (!mustExist && path !== ':memory:') createPrivateFile(path);
  const database = new (nodeSqlite().DatabaseSync)(mustExist ? withoutCreating(path) : path, { timeout });
  database.exec(`PRAGMA cache_size = ${-cacheKib}`);
  return database;
}

/** A URL with which SQLite opens the file and does not create it. */
function withoutCreating(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  return url;
}

/**
 * A prepared statement with Kysely's interface. Node's objects of rows are dictionaries to V8, which reads and copies them
 * three times as slowly as others. So rows are read as arrays, unless a `*` leaves the columns to the schema.
 */
export function prepare(database: DatabaseSync, text: string): SqliteStatement {
  const statement = database.prepare(text);
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  const columns = statement.columns().map(({ name }) => name);
  const hasNamedColumns = !text.includes('*');
  statement.setReturnArrays(hasNamedColumns);
  const toRow = (row: readonly unknown[]) => {
    const named: Record<string, unknown> = {};
    for (let at = 0; at < columns.length; at += 1) named[columns[at] ?? ''] = row[at];
    return named;
  };
  const all = (parameters: readonly unknown[]) => statement.all(...values(parameters));
  return {
    reader: columns.length > 0,
    all: hasNamedColumns ? (parameters) => (all(parameters) as unknown as unknown[][]).map(toRow) : all,
    run: (parameters) => statement.run(...values(parameters)),
    *iterate(parameters) {
      const rows = statement.iterate(...values(parameters));
      for (const row of rows) yield hasNamedColumns ? toRow(row as unknown as unknown[]) : row;
    },
  };
}

/** Statements whose number of parameters varies must not accumulate. */
const maxStatements = 1_000;

/** Prepares each text once: preparing a statement costs more than executing most of them. */
function prepareOnce(database: () => DatabaseSync): (text: string) => SqliteStatement {
  const statements = new BoundedMap<SqliteStatement>(maxStatements);
  return (text) => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = prepare(database(), text);
    statements.set(text, statement);
    return statement;
  };
}

/** A connection with Kysely's interface. */
export function forKysely(database: DatabaseSync): SqliteDatabase {
  return { close: () => database.close(), prepare: prepareOnce(() => database) };
}

/** True if another connection holds a lock: BUSY or LOCKED (sqlite.org/rescode.html). */
export function isBusy(error: unknown): boolean {
  return [5, 6].includes(resultCode(error));
}

/** The primary result code, which is the lower byte of the extended one; 0 if it is not an error of SQLite. */
export function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

/** Page cache during migrations, which scan whole tables (KiB). It halves the time for a million entries. */
const migrationCacheKib = 200_000;

export function sqliteConnection(database: () => DatabaseSync): Connection {
  const prepared = prepareOnce(database);
  return {
    async run({ sql: text, parameters }) {
      const statement = prepared(text);
      if (statement.reader) return statement.all(parameters);
      statement.run(parameters);
      return [];
    },
  };
}

/** Transactions that take the write lock when they begin. */
export function sqliteTransactions(database: () => DatabaseSync): Transactions {
  return {
    ...sqliteConnection(database),
    begin: async () => database().exec('BEGIN IMMEDIATE'),
    commit: async () => database().exec('COMMIT'),
    // SQLite rolls back itself after some errors, such as a full disk.
    rollback: async () => void (database().isTransaction && database().exec('ROLLBACK')),
  };
}

/** The connection of migrations, with a larger cache until it is released. */
export function sqliteMigratingConnection(
  database: () => DatabaseSync,
  transactions = sqliteTransactions(database),
): MigratingConnection {
  return {
    ...transactions,
    begin: async () => {
      database().exec(`PRAGMA cache_size = ${-migrationCacheKib}`);
      await transactions.begin();
    },
    release: async () => database().exec('PRAGMA shrink_memory'),
  };
}
