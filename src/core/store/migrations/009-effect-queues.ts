import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/**
 * Effects of several kinds: their queue is no longer always a channel. Renaming a column changes no rows and no index.
 * Adds the effects that are planned for later, in a table of their own, so that the queues contain only what is due.
 */
export function effectQueues(dialect: Dialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const { rows } = await dialect.selectColumn('effects', 'channel_id').execute(db);
      if (rows.length > 0) await db.schema.alterTable('effects').renameColumn('channel_id', 'queue').execute();
      await db.schema
        .createTable('planned_effects')
        .ifNotExists()
        .addColumn('id', dialect.idColumn.type, dialect.idColumn.build)
        .addColumn('delivery_id', 'bigint')
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('queue', 'text', (column) => column.notNull())
        .addColumn('content', 'text', (column) => column.notNull())
        .addColumn('due_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('planned_effects_due')
        .ifNotExists()
        .on('planned_effects')
        .columns(['due_at', 'id'])
        .execute();
      await db.schema
        .createTable('reports')
        .ifNotExists()
        .addColumn('key', 'text', (column) => column.primaryKey().notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .modifyEnd(dialect.withoutRowid)
        .execute();
    },
  };
}
