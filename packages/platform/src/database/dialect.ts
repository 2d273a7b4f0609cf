import type { Dialect as KyselyDialect, RawBuilder } from 'kysely';

/** A statement as compiled by Kysely: its text and its parameters. */
export interface Query {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A database connection, inside a transaction or not. */
export interface Connection {
  /** Runs a statement and returns its rows, if any. */
  run(query: Query): Promise<readonly unknown[]>;
}

/** Runs transactions, one after the other. */
export interface Transactions extends Connection {
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** The connection of migrations: a lock of their own, and no statement timeout. */
export interface MigratingConnection extends Transactions {
  /** Frees the memory that only migrations need. */
  release(): Promise<void>;
}

/** The differences between SQLite and PostgreSQL that statements and errors have. */
export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';
  /** Selects a row if the table has the column. */
  readonly selectColumn: (table: string, column: string) => RawBuilder<unknown>;
  /**
   * True if other rows use the space by which an update shortens a row. Otherwise the row has to be deleted and inserted
   * again.
   */
  readonly reusesShortenedRows: boolean;
  /** Provides Kysely's query compiler. On SQLite, it omits `for update`. */
  readonly kysely: Omit<KyselyDialect, 'createDriver'>;
  /** True if another connection holds the write lock, so that a retry may succeed. */
  isBusy(error: unknown): boolean;
  /** True if the database is not writable: full, read-only or gone. */
  isUnavailable(error: unknown): boolean;
}

/** An open database, as the migrations need it. */
export interface MigratableDatabase extends Pick<SqlDialect, 'kysely' | 'selectColumn' | 'isBusy'> {
  readonly reading: Connection;
  /** Over all processes only one of its transactions runs at a time: `begin` waits for the lock, or fails as busy. */
  readonly migrating: MigratingConnection;
}
