import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** The languages of members who may get direct messages. */
export function memberLanguages({ withoutRowid }: Dialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('member_languages')
        .ifNotExists()
        .addColumn('user_id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('locale', 'text', (column) => column.notNull())
        .modifyEnd(withoutRowid)
        .execute();
    },
  };
}
