import type { Compilable, Kysely } from 'kysely';

/**
 * A read-only, consistent view of a database at one point in time, whatever is written meanwhile. It never creates or
 * migrates a database.
 */
export interface DatabaseSnapshot<Tables> {
  /** Builds statements; it cannot run them. */
  readonly db: Kysely<Tables>;
  run<Row>(query: Compilable<Row>): Promise<readonly Row[]>;
  /** The names of all tables. */
  tables(): Promise<readonly string[]>;
  /**
   * The errors that the database's integrity check reports for its file, one line each. `quick` does not compare
   * indexes with their tables. Always empty on PostgreSQL, which checks its own files.
   */
  integrityErrors(depth: 'quick' | 'whole'): Promise<readonly string[]>;
  close(): Promise<void>;
}
