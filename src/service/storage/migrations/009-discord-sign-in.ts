import type { Kysely } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';

/**
 * The servers that members manage, as Discord said when they proved it, and a random value per member that every
 * session of the member contains: changing it ends all of them.
 */
export const discordSignIn: Migration = {
  compatible: true,
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .createTable('proven_guilds')
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('guild_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('icon_url', 'text')
      .addColumn('is_owner', 'integer', (column) => column.notNull())
      .addColumn('members', 'integer')
      .addColumn('online', 'integer')
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('proven_guilds_pkey', ['user_id', 'guild_id'])
      .execute();
    await database.schema.createIndex('proven_guilds_by_expiry').on('proven_guilds').columns(['expires_at']).execute();
    await database.schema.alterTable('members').addColumn('session_epoch', 'text').execute();
  },
};
