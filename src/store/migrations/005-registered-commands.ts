import type { Kysely } from 'kysely';

/** The ids of the slash commands that this program has registered, so that it never changes or deletes one of another program. */
export const registeredCommands = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('registered_commands')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('application_id', 'text', (column) => column.notNull())
      .addColumn('guild_id', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .execute();
  },
};
