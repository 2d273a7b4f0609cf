import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** What was announced apart from single events: digests, lost streaks and reviews. */
export function announcements({ withoutRowid }: Dialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('announcement_progress')
        .ifNotExists()
        .addColumn('key', 'text', (column) => column.primaryKey().notNull())
        .addColumn('until_at', 'bigint', (column) => column.notNull())
        .modifyEnd(withoutRowid)
        .execute();
      await db.schema
        .createTable('announced_reviews')
        .ifNotExists()
        .addColumn('listing', 'text', (column) => column.notNull())
        .addColumn('review', 'text', (column) => column.notNull())
        .addColumn('at', 'bigint')
        .addPrimaryKeyConstraint('announced_reviews_key', ['listing', 'review'])
        .execute();
    },
  };
}
