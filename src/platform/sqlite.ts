import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** How much of a file a connection keeps in memory (KiB). SQLite's own 2 MB are less than the balances of a large community. */
const cache = 16_000;

export interface OpenSqliteOptions {
  /** How long a statement waits for a lock that somebody else holds (ms), with the thread standing still. */
  readonly busyTimeoutMs: number;
  /** Throws what `node:sqlite` throws where there is no file, instead of making one; false unless given. */
  readonly mustExist?: boolean;
}

/**
 * Opens a SQLite file, or `:memory:`, with the SQLite that comes with Node. A new file is its owner's alone (mode
 * 0600). Two in one process would undo each other's locks. Throws what `node:fs` and `node:sqlite` throw.
 */
export function openSqlite(
  path: string,
  { busyTimeoutMs: timeout, mustExist = false }: OpenSqliteOptions,
): DatabaseSync {
  if (!mustExist && path !== ':memory:') createPrivate(path);
  const database = new DatabaseSync(mustExist ? existing(path) : path, { timeout });
  database.exec(`PRAGMA cache_size = ${-cache}`);
  return database;
}

/**
 * Makes the file where there is none, for its owner alone; SQLite would let everybody read it, and gives the files beside it the same mode.
 * One that is there is not even opened: to close it again would undo this process's locks on it (sqlite.org/howtocorrupt.html, 2.2).
 */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function existing(path: string): URL {
  const address = pathToFileURL(path);
  address.searchParams.set('mode', 'rw');
  return address;
}

/** A statement in the form in which Kysely runs it. */
export function prepare(database: DatabaseSync, text: string): SqliteStatement {
  const statement = database.prepare(text);
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

/** A connection in the form in which Kysely's own driver takes it. */
export function forKysely(database: DatabaseSync): SqliteDatabase {
  return { prepare: (text) => prepare(database, text), close: () => database.close() };
}

/** Whether another connection holds the lock that this one needs: BUSY or LOCKED (sqlite.org/rescode.html). */
export function isBusy(error: unknown): boolean {
  return [5, 6].includes(resultCode(error));
}

/** The primary result code, which is the lower byte of the extended one; 0 where the error is none of SQLite's. */
export function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}
