import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

const chunkSize = 10_000;

/**
 * Stores the start of the first attempt of an effect whose result is unknown. For earlier attempts the time of the
 * effect is the lower bound.
 */
export function unsureEffects({ columnIfNotExists }: Dialect) {
  return {
    steps: [
      {
        async up(db: Kysely<unknown>): Promise<void> {
          await sql`alter table effects add column ${columnIfNotExists} unsure_since bigint`.execute(db);
        },
      },
      {
        async total(db: Kysely<unknown>): Promise<number> {
          const { rows } = await sql<{ count: number }>`
            select count(*) as count from effects where state = 'waiting' and attempts > 0`.execute(db);
          return rows[0]?.count ?? 0;
        },
        // Updated rows are not selected again, so it needs no cursor.
        async chunk(db: Kysely<unknown>) {
          const { rows } = await sql`
            update effects set unsure_since = created_at where id in (
              select id from effects
              where state = 'waiting' and attempts > 0 and unsure_since is null limit ${chunkSize}
            ) returning id`.execute(db);
          return rows.length === 0 ? null : { cursor: '', rows: rows.length };
        },
      },
    ],
  };
}
