import type { ColumnBuilderCallback, Expression, Dialect as KyselyDialect, RawBuilder } from 'kysely';
import type { DatabaseFileReplacedError, DatabaseFiles } from '../../platform/database-files.ts';
import type { RecordingJob, RecordingResult } from '../recording/recording-jobs.ts';

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

/** Decides jobs in their order and writes what they change, inside the current transaction. */
export type RecordBatch = (
  jobs: readonly RecordingJob[],
) => readonly RecordingResult[] | Promise<readonly RecordingResult[]>;

/** A connection that writes, one transaction after the other. */
export interface WritingConnection extends Transactions {
  readonly record: RecordBatch;
}

/** The connection of migrations: a lock of their own, and no statement timeout. */
export interface MigratingConnection extends Transactions {
  /** Frees the memory that only migrations need. */
  release(): Promise<void>;
}

/** The differences between the two databases. Nothing outside `store` depends on which one is used. */
export interface Dialect {
  /** Declaration of an auto-incrementing primary key. */
  readonly idColumn: { readonly type: 'integer' | 'bigint'; readonly build: ColumnBuilderCallback };
  /** The type of columns of bytes. */
  readonly blobType: 'blob' | 'bytea';
  /** Makes `ADD COLUMN` repeatable. Empty on SQLite, whose changes of the schema are never half done. */
  readonly columnIfNotExists: RawBuilder<unknown>;
  /** Selects a row if the table has the column. */
  readonly selectColumn: (table: string, column: string) => RawBuilder<unknown>;
  /** Suffix of `DROP INDEX` for a unique index; some engines treat it as a constraint. */
  readonly cascade: RawBuilder<unknown>;
  /** Suffix of `CREATE TABLE` for a table that is only read by its key: stores its rows in the order of the key. */
  readonly withoutRowid: RawBuilder<unknown>;
  /** Aggregates key-value pairs of many rows into a JSON object, as text; null without rows. */
  readonly jsonObjectAgg: (key: Expression<unknown>, value: Expression<unknown>) => RawBuilder<string | null>;
  /**
   * Whether other rows use the space by which an update shortens a row. Otherwise the row has to be deleted and inserted
   * again.
   */
  readonly reusesShortenedRows: boolean;
  /** Provides Kysely's query compiler. */
  readonly kysely: KyselyDialect;
  readonly reading: Connection;
  /** Changes with every commit, of this or another process, in microseconds. Null for a database server. */
  readonly dataVersion: (() => number) | null;
  /** Opens a connection that writes. SQLite has only one. */
  openWriting(): WritingConnection;
  /** Over all processes only one of its transactions runs at a time: `begin` waits for the lock, or fails as busy. */
  readonly migrating: MigratingConnection;
  /** Defines a pure SQL function for statements of `migrating`; null for a database server, which cannot call it. */
  readonly defineFunction: ((name: string, run: (text: string) => Uint8Array) => void) | null;
  /** Whether another connection holds the write lock, so that a retry may succeed. */
  isBusy(error: unknown): boolean;
  /** Whether the database is not writable: full, read-only or gone. */
  isUnavailable(error: unknown): boolean;
  /** The open database files; null for a database server. */
  readonly files: DatabaseFiles | null;
  /**
   * An error if the files at their paths are not the open ones any more, since commits would be lost; otherwise null.
   */
  checkFiles(): DatabaseFileReplacedError | null;
  close(): Promise<void>;
}
