import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** The message of each guild with buttons for voting. */
export function votePanels({ withoutRowid }: Dialect) {
  return {
    compatible: true,
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('vote_panels')
        .ifNotExists()
        .addColumn('guild_id', 'text', (column) => column.notNull().primaryKey())
        .addColumn('channel_id', 'text', (column) => column.notNull())
        .addColumn('message_id', 'text')
        .addColumn('replaced_channel', 'text')
        .addColumn('replaced_message', 'text')
        .addColumn('shown', 'text')
        .addColumn('planned_at', 'bigint')
        .addColumn('updated_at', 'bigint', (column) => column.notNull().defaultTo(0))
        .modifyEnd(withoutRowid)
        .execute();
    },
  };
}
