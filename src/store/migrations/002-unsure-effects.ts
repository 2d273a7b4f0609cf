import { type Kysely, sql } from 'kysely';

/**
 * Effects remember since when nobody knows whether they are done. Of those that were attempted before this was written down, the only
 * thing that is sure is that no attempt is older than the effect.
 */
export const unsureEffects = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('effects').addColumn('unsure_since', 'bigint').execute();
    await sql`update effects set unsure_since = created_at where state = 'waiting' and attempts > 0`.execute(db);
  },
};
