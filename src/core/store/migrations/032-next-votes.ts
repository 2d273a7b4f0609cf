import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** When members may vote again, as the deliveries of other listing sites say. */
export function nextVotes({ withoutRowid }: Dialect) {
  return {
    compatible: true,
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('next_votes')
        .ifNotExists()
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('listing', 'text', (column) => column.notNull())
        .addColumn('voted_at', 'bigint', (column) => column.notNull())
        .addColumn('next_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('next_votes_key', ['user_id', 'listing'])
        .modifyEnd(withoutRowid)
        .execute();
    },
  };
}
