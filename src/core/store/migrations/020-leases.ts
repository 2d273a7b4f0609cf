import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** What several processes share: channels, shards of the gateway, and the count of requests that Discord rejected. */
export function leases({ withoutRowid }: Dialect) {
  return {
    compatible: true,
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('lease_groups')
        .ifNotExists()
        .addColumn('name', 'text', (column) => column.primaryKey().notNull())
        .addColumn('size', 'bigint', (column) => column.notNull())
        .modifyEnd(withoutRowid)
        .execute();
      await db.schema
        .createTable('lease_holders')
        .ifNotExists()
        .addColumn('id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('group_name', 'text', (column) => column.notNull())
        .addColumn('beat', 'bigint', (column) => column.notNull())
        .modifyEnd(withoutRowid)
        .execute();
      await db.schema
        .createTable('leases')
        .ifNotExists()
        .addColumn('group_name', 'text', (column) => column.notNull())
        .addColumn('size', 'bigint', (column) => column.notNull())
        .addColumn('slot', 'bigint', (column) => column.notNull())
        .addColumn('holder', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('leases_key', ['group_name', 'size', 'slot'])
        .modifyEnd(withoutRowid)
        .execute();
      await db.schema
        .createTable('invalid_requests')
        .ifNotExists()
        .addColumn('minute', 'bigint', (column) => column.primaryKey().notNull())
        .addColumn('count', 'bigint', (column) => column.notNull())
        .modifyEnd(withoutRowid)
        .execute();
    },
  };
}
