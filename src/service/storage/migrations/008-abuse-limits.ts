import type { Kysely } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';

/** How often members and addresses did something in a window of time, and the challenges that were used. */
export const abuseLimits: Migration = {
  compatible: true,
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .createTable('action_counts')
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('window_start', 'bigint', (column) => column.notNull())
      .addColumn('actions', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('action_counts_key', ['subject', 'window_start'])
      .execute();
    await database.schema.createIndex('action_counts_by_expiry').on('action_counts').column('expires_at').execute();
    await database.schema
      .createTable('used_challenges')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await database.schema.createIndex('used_challenges_by_expiry').on('used_challenges').column('expires_at').execute();
  },
};
