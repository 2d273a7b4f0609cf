import type { DatabaseSync } from 'node:sqlite';
import type { SqliteStatement } from 'kysely';
import { prepare } from '../sqlite.ts';
import type { Connection, MigratingConnection, Transactions } from './dialect.ts';

/** Page cache during migrations, which scan whole tables (KiB). It halves the time for a million entries. */
const migrationCacheKib = 200_000;

/** Caches prepared statements: within a transaction, a row then takes a fifth of the time. */
export function sqliteConnection(database: () => DatabaseSync): Connection {
  const cache = new Map<string, SqliteStatement>();
  let prepared: DatabaseSync | undefined;
  function cachedStatement(text: string): SqliteStatement {
    const current = database();
    // The file was opened again.
    if (current !== prepared) cache.clear();
    prepared = current;
    let statement = cache.get(text);
    if (statement === undefined) {
      statement = prepare(current, text);
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
