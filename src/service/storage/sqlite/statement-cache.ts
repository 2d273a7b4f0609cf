import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Statements whose number of parameters varies must not accumulate. */
const maxStatements = 200;

/** A connection that prepares each text once: preparing a statement costs more than executing most of them. */
export function withStatementCache(connection: SqliteDatabase): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => connection.close(),
    prepare(text) {
      const known = statements.get(text);
      if (known !== undefined) return known;
      const statement = connection.prepare(text);
      if (statements.size >= maxStatements) {
        for (const oldest of statements.keys()) {
          statements.delete(oldest);
          break;
        }
      }
      statements.set(text, statement);
      return statement;
    },
  };
}
