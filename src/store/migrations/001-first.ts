import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

export function first(dialect: Dialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('deliveries')
        .addColumn('id', dialect.idColumn.type, dialect.idColumn.build)
        .addColumn('received_at', 'bigint', (column) => column.notNull())
        .addColumn('family', 'text', (column) => column.notNull())
        .addColumn('listing', 'text')
        .addColumn('kind', 'text')
        .addColumn('outcome', 'text', (column) => column.notNull())
        .addColumn('reason', 'text')
        .addColumn('user_id', 'text')
        .addColumn('credits', 'bigint', (column) => column.notNull())
        .addColumn('event_key', 'text')
        .addColumn('body', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('deliveries_event_key').on('deliveries').column('event_key').unique().execute();
      await db.schema
        .createIndex('deliveries_unusual')
        .on('deliveries')
        .columns(['outcome', 'id'])
        .where(sql<boolean>`outcome <> 'recorded'`)
        .execute();

      await db.schema
        .createTable('entries')
        .addColumn('id', dialect.idColumn.type, dialect.idColumn.build)
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('listing', 'text')
        .addColumn('credits', 'bigint', (column) => column.notNull())
        .addColumn('cause', 'text', (column) => column.notNull())
        .addColumn('reason', 'text')
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('delivery_id', 'bigint')
        .execute();
      await db.schema.createIndex('entries_of_user').on('entries').columns(['user_id', 'at', 'id']).execute();

      await db.schema
        .createTable('balances')
        .addColumn('user_id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('credits', 'bigint', (column) => column.notNull())
        .addColumn('votes', 'bigint', (column) => column.notNull())
        .modifyEnd(dialect.withoutRowid)
        .execute();

      await db.schema
        .createTable('orders')
        .addColumn('id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('listing', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text')
        .addColumn('tier', 'text')
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('period_end', 'bigint')
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('order_names')
        .addColumn('name', 'text', (column) => column.primaryKey().notNull())
        .addColumn('order_id', 'text', (column) => column.notNull())
        .modifyEnd(dialect.withoutRowid)
        .execute();

      await db.schema
        .createTable('effects')
        .addColumn('id', dialect.idColumn.type, dialect.idColumn.build)
        .addColumn('delivery_id', 'bigint', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('channel_id', 'text', (column) => column.notNull())
        .addColumn('content', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('due_at', 'bigint', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('finished_at', 'bigint')
        .addColumn('nonce', 'text')
        .addColumn('reason', 'text')
        .execute();
      await db.schema
        .createIndex('effects_waiting')
        .on('effects')
        .columns(['due_at', 'id'])
        .where(sql<boolean>`state = 'waiting'`)
        .execute();
      await db.schema
        .createIndex('effects_buried')
        .on('effects')
        .column('id')
        .where(sql<boolean>`state = 'buried'`)
        .execute();

      await db.schema
        .createTable('lookup_requests')
        .addColumn('key_id', 'text', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('lookup_requests_of_key').on('lookup_requests').columns(['key_id', 'at']).execute();

      await db.schema
        .createTable('probes')
        .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .execute();
    },
  };
}
