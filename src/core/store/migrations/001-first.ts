import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

export function first(dialect: Dialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('deliveries')
        .ifNotExists()
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
      await db.schema
        .createIndex('deliveries_event_key')
        .ifNotExists()
        .on('deliveries')
        .column('event_key')
        .unique()
        .execute();
      await db.schema
        .createIndex('deliveries_unusual')
        .ifNotExists()
        .on('deliveries')
        .columns(['outcome', 'id'])
        .where(sql<boolean>`outcome <> 'recorded'`)
        .execute();

      await db.schema
        .createTable('entries')
        .ifNotExists()
        .addColumn('id', dialect.idColumn.type, dialect.idColumn.build)
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('listing', 'text')
        .addColumn('credits', 'bigint', (column) => column.notNull())
        .addColumn('cause', 'text', (column) => column.notNull())
        .addColumn('reason', 'text')
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('delivery_id', 'bigint')
        .execute();
      await db.schema
        .createIndex('entries_of_user')
        .ifNotExists()
        .on('entries')
        .columns(['user_id', 'at', 'id'])
        .execute();

      await db.schema
        .createTable('balances')
        .ifNotExists()
        .addColumn('user_id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('credits', 'bigint', (column) => column.notNull())
        .addColumn('votes', 'bigint', (column) => column.notNull())
        .modifyEnd(dialect.withoutRowid)
        .execute();

      await db.schema
        .createTable('orders')
        .ifNotExists()
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
        .ifNotExists()
        .addColumn('name', 'text', (column) => column.primaryKey().notNull())
        .addColumn('order_id', 'text', (column) => column.notNull())
        .modifyEnd(dialect.withoutRowid)
        .execute();

      await db.schema
        .createTable('effects')
        .ifNotExists()
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
        .ifNotExists()
        .on('effects')
        .columns(['due_at', 'id'])
        .where(sql<boolean>`state = 'waiting'`)
        .execute();
      await db.schema
        .createIndex('effects_buried')
        .ifNotExists()
        .on('effects')
        .column('id')
        .where(sql<boolean>`state = 'buried'`)
        .execute();

      await db.schema
        .createTable('lookup_requests')
        .ifNotExists()
        .addColumn('key_id', 'text', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('lookup_requests_of_key')
        .ifNotExists()
        .on('lookup_requests')
        .columns(['key_id', 'at'])
        .execute();

      await db.schema
        .createTable('probes')
        .ifNotExists()
        .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .execute();
    },
  };
}
