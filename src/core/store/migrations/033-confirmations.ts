import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** The votes that wait for the confirmation of their site. */
export function confirmations({ withoutRowid }: Dialect) {
  return {
    compatible: true,
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('confirmations')
        .ifNotExists()
        .addColumn('vote', 'text', (column) => column.primaryKey().notNull())
        .addColumn('user_id', 'text')
        .addColumn('listing', 'text')
        .addColumn('delivery_id', 'bigint')
        .modifyEnd(withoutRowid)
        .execute();
    },
  };
}
