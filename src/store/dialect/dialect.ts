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
  /** Runs an insert and returns the id of the new row; null after a conflict with `do nothing`. */
  insert(query: Query): Promise<number | null>;
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

/** The differences between the two databases. Nothing outside `store` depends on which one is used. */
export interface Dialect {
  /** Declaration of an auto-incrementing primary key. */
  readonly idColumn: { readonly type: 'integer' | 'bigint'; readonly build: ColumnBuilderCallback };
  /** Suffix of `CREATE TABLE` for a table that is only read by its key: stores its rows in the order of the key. */
  readonly withoutRowid: RawBuilder<unknown>;
  /** Aggregates key-value pairs of many rows into a JSON object, as text; null without rows. */
  readonly jsonObjectAgg: (key: Expression<unknown>, value: Expression<unknown>) => RawBuilder<string | null>;
  /** Provides Kysely's query compiler. */
  readonly kysely: KyselyDialect;
  readonly reading: Connection;
  /** Opens a connection that writes. SQLite has only one. */
  openWriting(): WritingConnection;
  /**
   * The connection for migrations, without a statement timeout. Over all processes only one of its transactions runs at
   * a time: `begin` waits for the lock, or fails as busy.
   */
  readonly migrating: Transactions;
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

/** The path in a `sqlite:` URL; null for a database server. */
export function sqlitePathOf(url: string): string | null {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
}
