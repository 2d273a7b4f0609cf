import type { Compilable, Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/**
 * The database as it was at one moment, for reading only: however long that takes, and whatever is written meanwhile, what is read
 * belongs together. Nothing is created or migrated.
 */
export interface Snapshot {
  /** Builds statements; it runs none by itself. */
  readonly db: Kysely<Tables>;
  run<Row>(query: Compilable<Row>): Promise<readonly Row[]>;
  /** The tables that there are. */
  tables(): Promise<readonly string[]>;
  /**
   * What the database finds wrong with its own file, a sentence each. `quick` leaves out the comparison of indexes with their tables.
   * Always empty on PostgreSQL, which looks after its files itself.
   */
  integrityErrors(depth: 'quick' | 'whole'): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** `sqlite:` followed by a path, or `postgres://…`. Throws what the driver throws; a file that is missing is not created. */
export async function openSnapshot(url: string): Promise<Snapshot> {
  const path = sqlitePathOf(url);
  if (path !== null) return (await import('./sqlite-snapshot.ts')).sqliteSnapshot(path);
  return (await import('./postgres-snapshot.ts')).postgresSnapshot(url);
}

/** The path of the file that a database is; null where it is on a server. */
export function sqlitePathOf(url: string): string | null {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
}
