import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** What was imported of other programs, so that nothing is credited twice, and can be undone. */
export function imports({ idColumn, withoutRowid }: Dialect): Migration {
  return {
    compatible: true,
    steps: [
      {
        async up(db) {
          await db.schema
            .createTable('imports')
            .ifNotExists()
            .addColumn('id', idColumn.type, idColumn.build)
            .addColumn('name', 'text', (column) => column.notNull())
            .addColumn('guild_id', 'text', (column) => column.notNull())
            .addColumn('state', 'text', (column) => column.notNull())
            .addColumn('started_at', 'bigint', (column) => column.notNull())
            .addColumn('finished_at', 'bigint')
            .addColumn('credits', 'bigint', (column) => column.notNull())
            .addColumn('votes', 'bigint', (column) => column.notNull())
            .addColumn('entries', 'bigint', (column) => column.notNull())
            .addColumn('spent', 'bigint', (column) => column.notNull())
            .execute();
          await db.schema
            .createTable('imported_items')
            .ifNotExists()
            .addColumn('import_id', 'bigint', (column) => column.notNull())
            .addColumn('user_id', 'text', (column) => column.notNull())
            .addColumn('item', 'text', (column) => column.notNull())
            .addColumn('entry_id', 'bigint', (column) => column.notNull())
            .addColumn('credits', 'bigint', (column) => column.notNull())
            .addPrimaryKeyConstraint('imported_items_key', ['import_id', 'user_id', 'item'])
            .modifyEnd(withoutRowid)
            .execute();
        },
      },
    ],
  };
}
