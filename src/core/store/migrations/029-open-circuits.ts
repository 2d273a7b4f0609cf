import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** The channels and roles that Discord rejects, and the count of rejected requests of each guild. */
export function openCircuits({ withoutRowid }: Dialect) {
  return {
    compatible: true,
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('open_circuits')
        .ifNotExists()
        .addColumn('target', 'text', (column) => column.primaryKey().notNull())
        .addColumn('guild_id', 'text')
        .addColumn('code', 'bigint', (column) => column.notNull())
        .addColumn('reason', 'text', (column) => column.notNull())
        .addColumn('opened_at', 'bigint', (column) => column.notNull())
        .addColumn('probe_at', 'bigint', (column) => column.notNull())
        .modifyEnd(withoutRowid)
        .execute();
      await db.schema
        .createTable('guild_rejections')
        .ifNotExists()
        .addColumn('minute', 'bigint', (column) => column.notNull())
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('count', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('guild_rejections_key', ['minute', 'guild_id'])
        .modifyEnd(withoutRowid)
        .execute();
    },
  };
}
