import type { DatabaseSync } from 'node:sqlite';
import type { Compilable } from 'kysely';
import { openSqlite, prepare } from '../../sqlite.ts';
import { statementBuilder } from '../kysely-on.ts';
import { sqliteDialect } from '../sqlite-dialect.ts';
import type { DatabaseSnapshot } from './snapshot.ts';

/** Long enough for a checkpoint of another process. */
const busyTimeoutMs = 2_000;
/** Bound of the errors that the integrity check reports. */
const maxIntegrityErrors = 5;

/**
 * A snapshot of a SQLite file. It does not block writers, but prevents checkpoints from resetting the write-ahead log.
 * Throws what `node:sqlite` throws.
 */
export function sqliteSnapshot<Tables>(path: string): DatabaseSnapshot<Tables> {
  const database = openReadSnapshot(path);
  return {
    db: statementBuilder(sqliteDialect),
    async run<Row>(query: Compilable<Row>) {
      const { sql, parameters } = query.compile();
      return prepare(database, sql).all(parameters) as Row[];
    },
    async tables() {
      const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      return rows.map(({ name }) => String(name));
    },
    async integrityErrors(depth) {
      const pragma = `PRAGMA ${depth === 'whole' ? 'integrity_check' : 'quick_check'}(${maxIntegrityErrors})`;
      const lines = database
        .prepare(pragma)
        .all()
        .flatMap((row) => Object.values(row).map(String));
      return lines.filter((line) => line !== 'ok');
    },
    close: async () => database.close(),
  };
}

/**
 * A connection that reads the current state of the file until it is closed. It is not opened as read-only, because then
 * it could not delete the write-ahead log that it may have created, and the database would appear to be in use.
 */
export function openReadSnapshot(path: string): DatabaseSync {
  const database = openSqlite(path, { mustExist: true, busyTimeoutMs });
  try {
    database.exec('PRAGMA query_only = ON');
    database.exec('BEGIN');
    // The first read takes the snapshot.
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
