import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** The last votes of forgotten members, as digests and for a limited time. */
export function forgotten({ blobType, withoutRowid }: Dialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('forgotten_votes')
        .ifNotExists()
        .addColumn('key', blobType, (column) => column.primaryKey().notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .modifyEnd(withoutRowid)
        .execute();
    },
  };
}
