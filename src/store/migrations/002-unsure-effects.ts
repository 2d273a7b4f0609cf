import { type Kysely, sql } from 'kysely';

/**
 * Stores the start of the first attempt of an effect whose result is unknown. For earlier attempts the time of the
 * effect is the lower bound.
 */
export const unsureEffects = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('effects').addColumn('unsure_since', 'bigint').execute();
    await sql`update effects set unsure_since = created_at where state = 'waiting' and attempts > 0`.execute(db);
  },
};
