import type { MigratableDatabase, SqlDialect, Transactions } from '@tallyhook/platform/database/dialect';
import type { DatabaseFileReplacedError, DatabaseFiles } from '@tallyhook/platform/database-files';
import type { RecordingJob, RecordingResult } from '../../tally/recorder.ts';
import type { Hooks } from '../../tally/tally.ts';

/** Decides jobs in their order, with hooks and the secret of the installation, and writes what they change, inside the current transaction. */
export type RecordBatch = (
  jobs: readonly RecordingJob[],
  hooks: readonly Hooks[],
  secret: string,
) => readonly RecordingResult[] | Promise<readonly RecordingResult[]>;

/** A connection that writes, one transaction after the other. */
export interface WritingConnection extends Transactions {
  readonly record: RecordBatch;
}

/** The differences between the two databases. Nothing outside `store` depends on which one is used. */
export interface Dialect extends SqlDialect, MigratableDatabase {
  /** Changes with every commit, of this or another process, in microseconds. Null for a database server. */
  readonly dataVersion: (() => number) | null;
  /** Opens a connection that writes. SQLite has only one. */
  openWriting(): WritingConnection;
  /** The open database files; null for a database server. */
  readonly files: DatabaseFiles | null;
  /**
   * An error if the files at their paths are not the open ones any more, since commits would be lost; otherwise null.
   */
  checkFiles(): DatabaseFileReplacedError | null;
  close(): Promise<void>;
}
