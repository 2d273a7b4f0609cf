import { type Kysely, sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';

/** Reports of members, bans, and the log of what operators did. */
export const moderation: Migration = {
  compatible: true,
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .createTable('reports')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('listing_id', 'text', (column) => column.notNull())
      .addColumn('review_user_id', 'text', (column) => column.notNull())
      .addColumn('reporter_id', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('reported_text', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('closed_at', 'bigint')
      .execute();
    await database.schema
      .createIndex('reports_open')
      .unique()
      .on('reports')
      .columns(['listing_id', 'kind', 'review_user_id', 'reporter_id'])
      .where(sql.ref('state'), '=', sql.lit('open'))
      .execute();
    await database.schema
      .createIndex('reports_by_reporter')
      .on('reports')
      .columns(['reporter_id', 'created_at'])
      .execute();
    await database.schema
      .createTable('bans')
      .addColumn('user_id', 'text', (column) => column.primaryKey())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('banned_at', 'bigint', (column) => column.notNull())
      .execute();
    await database.schema
      .createTable('moderation_log')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('operator_id', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('listing_id', 'text')
      .addColumn('user_id', 'text')
      .addColumn('reason', 'text', (column) => column.notNull())
      .execute();
    await database.schema
      .createIndex('moderation_log_by_listing')
      .on('moderation_log')
      .columns(['listing_id', 'at'])
      .execute();
    await database.schema.createIndex('moderation_log_by_time').on('moderation_log').columns(['at', 'id']).execute();
  },
};
