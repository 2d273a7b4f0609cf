import type { ColumnBuilderCallback, Expression, Dialect as KyselyDialect, RawBuilder } from 'kysely';
import type { DatabaseFileReplacedError, DatabaseFiles } from '../../platform/database-files.ts';

/** One statement's text and values, as Kysely compiled them. */
export interface Query {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Something that runs statements: a connection, with or without a transaction around it. */
export interface Connection {
  /** The rows that the statement returns; none for one that returns nothing. */
  run(query: Query): Promise<readonly unknown[]>;
  /** The number of the row that the insertion made; null where there was one with its key already, and it was to do nothing then. */
  insert(query: Query): Promise<number | null>;
}

/** A connection that writes. Only one transaction writes at a time, over all processes: `begin` waits for its turn, or fails as busy. */
export interface WritingConnection extends Connection {
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** All in which the two databases differ. Nothing outside this room knows which one it is. */
export interface Dialect {
  /** How a self-numbering key is declared. */
  readonly id: { readonly type: 'integer' | 'bigint'; readonly build: ColumnBuilderCallback };
  /** Ends the declaration of a table that is only ever read by its key, so that its rows lie in the key's own order. */
  readonly withoutRowid: RawBuilder<unknown>;
  /** Gathers pairs of many rows into one JSON object, as text; null where there are no rows. */
  readonly jsonObjectAgg: (key: Expression<unknown>, value: Expression<unknown>) => RawBuilder<string | null>;
  /** For Kysely's query compiler. */
  readonly kysely: KyselyDialect;
  readonly reading: Connection;
  readonly writing: WritingConnection;
  /** As `writing`, where a statement may take as long as it needs. */
  readonly migrating: WritingConnection;
  /** Whether the error says "somebody else is writing just now", so that waiting a little helps. */
  isBusy(error: unknown): boolean;
  /** Whether the error says that the store cannot be written at all: full, read-only, gone. */
  isUnavailable(error: unknown): boolean;
  /** The files that it has open; null where a server has them. */
  readonly files: DatabaseFiles | null;
  /** Null as long as they are the ones at their paths: otherwise what is committed would be lost. */
  checkFiles(): DatabaseFileReplacedError | null;
  close(): Promise<void>;
}
