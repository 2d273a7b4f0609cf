import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** What top.gg has connected with its Connect. */
export function topggConnections({ withoutRowid }: Dialect) {
  return {
    compatible: true,
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('topgg_connections')
        .ifNotExists()
        .addColumn('connection_id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('listing', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('target_id', 'text', (column) => column.notNull())
        .addColumn('guild_id', 'text')
        .addColumn('sealed', 'text')
        .addColumn('at', 'bigint', (column) => column.notNull())
        .modifyEnd(withoutRowid)
        .execute();
    },
  };
}
