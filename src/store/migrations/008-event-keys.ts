import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

export function eventKeys(dialect: Dialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const blob = dialect.idColumn.type === 'bigint' ? sql`bytea` : sql`blob`;
      await db.schema
        .createTable('event_keys')
        .addColumn('key', blob, (column) => column.primaryKey().notNull())
        .addColumn('delivery_id', 'bigint', (column) => column.notNull())
        .modifyEnd(dialect.withoutRowid)
        .execute();
      await db.schema
        .createTable('locks')
        .addColumn('name', 'text', (column) => column.primaryKey().notNull())
        .execute();
      await db.schema
        .alterTable('entries')
        .addColumn('number', 'bigint', (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema
        .alterTable('entries')
        .addColumn('untimed', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema
        .alterTable('balances')
        .addColumn('entries', 'bigint', (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema.dropIndex('deliveries_event_key').execute();
    },
  };
}
