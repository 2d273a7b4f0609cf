import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** Since when votes of a listing are received. */
export function listingBeginnings({ withoutRowid }: Dialect) {
  return {
    compatible: true,
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('listing_beginnings')
        .ifNotExists()
        .addColumn('listing', 'text', (column) => column.primaryKey().notNull())
        .addColumn('target', 'text', (column) => column.notNull())
        .addColumn('since', 'bigint', (column) => column.notNull())
        .modifyEnd(withoutRowid)
        .execute();
    },
  };
}
