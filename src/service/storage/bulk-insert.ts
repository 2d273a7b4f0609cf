import { CompiledQuery } from 'kysely';
import type { Sql } from './database.ts';
import type { ServiceTables } from './tables.ts';

/** Rows per statement: larger statements are not faster. */
const rowsPerStatement = 50;

/** Inserts many rows of one table. `add` returns a promise if rows are written now, and null if the row waits for others. */
export interface BulkInsert {
  add(...values: readonly (string | number | null)[]): Promise<void> | null;
  /** Writes the rest. */
  flush(): Promise<void>;
}

/**
 * Inserts rows in statements of 50, which are compiled once.
 * @param onConflict `ignore` leaves rows out that exist already
 */
export function bulkInsert(
  sql: Sql,
  table: keyof ServiceTables,
  columns: readonly string[],
  onConflict: 'fail' | 'ignore' = 'fail',
): BulkInsert {
  const full = statementOf(rowsPerStatement);
  let parameters: (string | number | null)[] = [];

  function statementOf(rows: number): string {
    const placeholder = Array.from({ length: columns.length }, () => undefined);
    const insert = sql
      .insertInto(table)
      .values(
        Array.from(
          { length: rows },
          () => Object.fromEntries(columns.map((name, at) => [name, placeholder[at] ?? ''])) as never,
        ),
      );
    return (onConflict === 'ignore' ? insert.onConflict((conflict) => conflict.doNothing()) : insert).compile().sql;
  }

  async function write(text: string): Promise<void> {
    const written = parameters;
    parameters = [];
    await sql.executeQuery(CompiledQuery.raw(text, written));
  }

  return {
    add(...values) {
      parameters.push(...values);
      if (parameters.length === rowsPerStatement * columns.length) return write(full);
      return null;
    },
    async flush() {
      if (parameters.length > 0) await write(statementOf(parameters.length / columns.length));
    },
  };
}
