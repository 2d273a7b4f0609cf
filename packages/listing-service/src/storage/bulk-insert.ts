import type { SqlDialect } from '@tallyhook/platform/database/dialect';
import { CompiledQuery } from 'kysely';
import type { Sql } from './database.ts';
import type { ServiceTables } from './tables.ts';

/** Rows per statement of SQLite: larger statements are not faster. */
const sqliteRows = 50;
/** Rows per statement of PostgreSQL, which counts votes once per statement. */
const postgresRows = 5_000;

type Value = string | number | null;

/** Inserts rows of one table, many per statement. @param onConflict `ignore` leaves rows out that exist already */
export function bulkInsert(
  sql: Sql,
  dialect: SqlDialect['name'],
  table: keyof ServiceTables,
  columns: readonly string[],
  onConflict: 'fail' | 'ignore' = 'fail',
) {
  const insert = dialect === 'sqlite' ? insertValues : insertArrays;
  const rowsPerStatement = dialect === 'sqlite' ? sqliteRows : postgresRows;
  const statements = insert(table, columns, onConflict === 'ignore' ? ' on conflict do nothing' : '');
  let parameters: Value[] = [];

  async function write(): Promise<void> {
    const written = parameters;
    parameters = [];
    await sql.executeQuery(statements(written));
  }

  return {
    /** Returns a promise if rows are written now, and null if the row waits for others. */
    add(...values: readonly Value[]): Promise<void> | null {
      for (const value of values) parameters.push(value);
      return parameters.length === rowsPerStatement * columns.length ? write() : null;
    },
    async flush(): Promise<void> {
      if (parameters.length > 0) await write();
    },
  };
}

/** Makes a statement of the values of some rows, one row after the other. */
type Statements = (values: readonly Value[]) => CompiledQuery;

/** A parameter per value. The text depends only on the number of rows, so that it is prepared once. */
function insertValues(table: string, columns: readonly string[], onConflict: string): Statements {
  const texts = new Map<number, string>();
  const row = `(${columns.map(() => '?').join(', ')})`;
  return (values) => {
    const rows = values.length / columns.length;
    const text =
      texts.get(rows) ??
      `insert into ${table} (${columns.join(', ')}) values ${Array.from({ length: rows }, () => row).join(', ')}${onConflict}`;
    texts.set(rows, text);
    return CompiledQuery.raw(text, [...values]);
  };
}

/** An array per column. */
export function insertArrays(table: string, columns: readonly string[], onConflict: string): Statements {
  return (values) => {
    const arrays = columns.map((_, column) => values.filter((_, index) => index % columns.length === column));
    const types = arrays.map((array) => (array.some((value) => typeof value === 'number') ? 'bigint' : 'text'));
    const parameters = types.map((type, column) => `$${column + 1}::${type}[]`).join(', ');
    const text = `insert into ${table} (${columns.join(', ')}) select * from unnest(${parameters})${onConflict}`;
    return CompiledQuery.raw(text, arrays);
  };
}
