import type { Kysely } from 'kysely';

/**
 * Ids of the slash commands that tallyhook has registered, so that it never changes or deletes those of another
 * program.
 */
export const registeredCommands = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('registered_commands')
      .ifNotExists()
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('application_id', 'text', (column) => column.notNull())
      .addColumn('guild_id', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .execute();
  },
};
