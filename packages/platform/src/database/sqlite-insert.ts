import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

type Value = string | number | null;

/**
 * Prepares the insertion of rows into a table. Usual values are in the text of the statement, because to bind a value takes
 * longer than to store it. There is a statement for each combination of them that occurs, at most 2 to the power of their
 * number.
 * @param columns at most 31, in the order of the values
 * @param usual the values that most new rows have, by column
 * @param conflict the clause for rows that exist
 */
export function prepareInsert(
  database: DatabaseSync,
  table: string,
  columns: readonly string[],
  usual: Readonly<Record<string, Value>>,
  conflict = '',
): (values: readonly SQLInputValue[]) => void {
  const usualValues = columns.map((name) => usual[name]);
  const statements = new Map<number, StatementSync>();

  /** @param bound the columns whose values are bound (bits) */
  function prepare(bound: number): StatementSync {
    const values = usualValues.map((value, place) => ((bound >> place) & 1 ? '?' : literal(value ?? null)));
    const statement = database.prepare(
      `insert into ${table} (${columns.join(', ')}) values (${values.join(', ')}) ${conflict}`,
    );
    statements.set(bound, statement);
    return statement;
  }

  return (values) => {
    let bound = 0;
    const unusual: SQLInputValue[] = [];
    for (let place = 0; place < values.length; place += 1) {
      const value = values[place] ?? null;
      if (value === usualValues[place]) continue;
      bound |= 1 << place;
      unusual.push(value);
    }
    (statements.get(bound) ?? prepare(bound)).run(...unusual);
  };
}

function literal(value: Value): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}
