import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** Indexes for the owner's queries, and the idempotency keys of corrections. */
export function owner(dialect: Dialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      // Recorded votes are found by their user's entries. The index covers only the others, so it does not slow down
      // votes.
      await db.schema
        .createIndex('deliveries_of_user')
        .ifNotExists()
        .on('deliveries')
        .columns(['user_id', 'id'])
        .where(sql<boolean>`outcome <> 'recorded' or family = 'premium'`)
        .execute();
      await db.schema.createIndex('effects_of_delivery').ifNotExists().on('effects').column('delivery_id').execute();

      await db.schema
        .createTable('corrections')
        .ifNotExists()
        .addColumn('idempotency_key', 'text', (column) => column.primaryKey().notNull())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('credits', 'bigint', (column) => column.notNull())
        .addColumn('reason', 'text', (column) => column.notNull())
        .addColumn('balance', 'bigint', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .modifyEnd(dialect.withoutRowid)
        .execute();
    },
  };
}
