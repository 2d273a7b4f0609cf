import type { DatabaseSync } from 'node:sqlite';
import { type Compilable, SqliteDialect } from 'kysely';
import { forKysely, openSqlite, prepare } from '../../platform/sqlite.ts';
import { queryBuilder } from '../query-builder.ts';
import type { Snapshot } from './snapshot.ts';

/** How long a checkpoint of another process may keep us waiting (ms). */
const busyTimeoutMs = 2_000;
/** Faults that are told of a file; it has as many more as it likes. */
const mostFaults = 5;

/**
 * A snapshot of a SQLite file. Readers hold up nobody, but while one lasts the write-ahead log is not folded back.
 * Throws what `node:sqlite` throws.
 */
export function sqliteSnapshot(path: string): Snapshot {
  const database = openReadSnapshot(path);
  return {
    db: queryBuilder({ kysely: new SqliteDialect({ database: forKysely(database) }) }),
    async run<Row>(query: Compilable<Row>) {
      const { sql, parameters } = query.compile();
      return prepare(database, sql).all(parameters) as Row[];
    },
    async tables() {
      const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      return rows.map(({ name }) => String(name));
    },
    async integrityErrors(depth) {
      const pragma = `PRAGMA ${depth === 'whole' ? 'integrity_check' : 'quick_check'}(${mostFaults})`;
      const told = database
        .prepare(pragma)
        .all()
        .flatMap((row) => Object.values(row).map(String));
      return told.filter((line) => line !== 'ok');
    },
    close: async () => database.close(),
  };
}

/**
 * A connection that reads the file as it is now, until it is closed. It is not opened as read-only, because then it could not clear away
 * the write-ahead log that it may have had to create, and the database would look as if it were in use.
 */
export function openReadSnapshot(path: string): DatabaseSync {
  const database = openSqlite(path, { mustExist: true, busyTimeoutMs: busyTimeoutMs });
  try {
    database.exec('PRAGMA query_only = ON');
    database.exec('BEGIN');
    // The first read fixes the moment.
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
