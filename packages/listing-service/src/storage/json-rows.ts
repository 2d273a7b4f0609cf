import type { SqlDialect } from '@tallyhook/platform/database/dialect';
import { type RawBuilder, sql } from 'kysely';

/**
 * Rows that are one parameter, the JSON of an array of arrays, for statements that change many rows: their text does not
 * depend on the number. To be used after `from` or `join`, with a name.
 * @param columns names and types, in the order of the values
 */
export function jsonRows(
  { name }: SqlDialect,
  json: string,
  columns: Readonly<Record<string, 'text' | 'bigint'>>,
): RawBuilder<unknown> {
  const elements =
    name === 'sqlite' ? sql`json_each(${json})` : sql`json_array_elements(cast(${json} as json)) as elements (value)`;
  const values = Object.entries(columns).map(
    ([column, type], index) => sql`cast(value ->> ${sql.lit(index)} as ${sql.raw(type)}) as ${sql.ref(column)}`,
  );
  return sql`(select ${sql.join(values)} from ${elements})`;
}
