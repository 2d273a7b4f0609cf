import { type Kysely, sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';

/**
 * What owners and members manage themselves: the state and the icon of a listing, the use of its keys, replies to its
 * reviews, the counts of its days, and members who deleted their data.
 */
export const owners: Migration = {
  compatible: true,
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    await schema
      .alterTable('listings')
      .addColumn('state', 'text', (column) => column.notNull().defaultTo('published'))
      .execute();
    await schema.alterTable('listings').addColumn('state_reason', 'text').execute();
    await schema.alterTable('listings').addColumn('icon_version', 'text').execute();
    await schema.createIndex('listings_by_owner').on('listings').column('owner_id').execute();
    await schema
      .createIndex('listings_not_published')
      .on('listings')
      .column('state')
      .where(sql.ref('state'), '!=', sql.lit('published'))
      .execute();
    await schema.alterTable('webhooks').addColumn('paused_by', 'text').execute();

    await schema
      .createTable('listing_icons')
      .addColumn('listing_id', 'text', (column) => column.primaryKey())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('data_base64', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createTable('key_usage')
      .addColumn('key_id', 'bigint', (column) => column.primaryKey())
      .addColumn('last_used_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('review_replies')
      .addColumn('review_id', 'bigint', (column) => column.primaryKey())
      .addColumn('listing_id', 'text', (column) => column.notNull())
      .addColumn('reply', 'text', (column) => column.notNull())
      .addColumn('replied_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema.createIndex('review_replies_by_listing').on('review_replies').column('listing_id').execute();
    await schema
      .createTable('listing_days')
      .addColumn('listing_id', 'text', (column) => column.notNull())
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addColumn('votes', 'bigint', (column) => column.notNull())
      .addColumn('deliveries', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('listing_days_key', ['listing_id', 'day'])
      .execute();
    await schema
      .createIndex('deliveries_failed')
      .on('deliveries')
      .columns(['listing_id', 'created_at', 'id'])
      .where(sql.ref('state'), '=', sql.lit('failed'))
      .execute();
    await schema
      .createTable('member_deletions')
      .addColumn('user_id', 'text', (column) => column.primaryKey())
      .addColumn('requested_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
