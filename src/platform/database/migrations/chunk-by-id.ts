import { type Kysely, sql } from 'kysely';
import type { Chunk } from './migration.ts';

/** Ids of a chunk: above `after`, up to and including `upTo`. */
export interface IdRange {
  readonly after: number;
  readonly upTo: number;
}

/** Runs `update` for the next `size` rows of a table in the order of their ids. */
export async function chunkById(
  db: Kysely<unknown>,
  table: string,
  cursor: string | null,
  size: number,
  update: (range: IdRange) => Promise<unknown>,
): Promise<Chunk | null> {
  const after = Number(cursor ?? 0);
  const { rows } = await sql<{ up_to: number | null; count: number }>`
    select max(id) as up_to, count(*) as count
    from (select id from ${sql.table(table)} where id > ${after} order by id limit ${size}) as chunk`.execute(db);
  const { up_to: upTo = null, count = 0 } = rows[0] ?? {};
  if (upTo === null) return null;
  await update({ after, upTo });
  return { cursor: String(upTo), rows: count };
}

export async function countRows(db: Kysely<unknown>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
  return rows[0]?.count ?? 0;
}
