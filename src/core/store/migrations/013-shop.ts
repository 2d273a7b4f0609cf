import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** Purchases of the shop. An item, its name and its price are stored as they were when it was bought. */
export function shop({ idColumn }: Dialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('purchases')
        .ifNotExists()
        .addColumn('id', idColumn.type, idColumn.build)
        .addColumn('confirmation_id', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('owner_channel_id', 'text')
        .addColumn('item', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('price', 'bigint', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('balance', 'bigint', (column) => column.notNull())
        .addColumn('role', 'text')
        .addColumn('until', 'bigint')
        .addColumn('code', 'text')
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('settled_at', 'bigint')
        .execute();
      await db.schema
        .createIndex('purchases_confirmation')
        .ifNotExists()
        .on('purchases')
        .column('confirmation_id')
        .unique()
        .execute();
      await db.schema
        .createIndex('purchases_code')
        .ifNotExists()
        .on('purchases')
        .column('code')
        .unique()
        .where(sql<boolean>`code is not null`)
        .execute();
      await db.schema
        .createIndex('purchases_of_user')
        .ifNotExists()
        .on('purchases')
        .columns(['user_id', 'at', 'id'])
        .execute();
      await db.schema
        .createIndex('purchases_sold')
        .ifNotExists()
        .on('purchases')
        .columns(['guild_id', 'item'])
        .where(sql<boolean>`state <> 'refunded'`)
        .execute();
    },
  };
}
