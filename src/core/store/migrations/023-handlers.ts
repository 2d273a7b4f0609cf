import type { Kysely } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** The kinds of handlers that some process has. */
export function handlers({ withoutRowid }: Dialect): Migration {
  return {
    compatible: true,
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('handler_subscriptions')
        .ifNotExists()
        .addColumn('kind', 'text', (column) => column.primaryKey().notNull())
        .addColumn('renewed_at', 'bigint', (column) => column.notNull())
        .modifyEnd(withoutRowid)
        .execute();
    },
  };
}
