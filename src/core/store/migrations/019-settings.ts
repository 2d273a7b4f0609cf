import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** Settings of communities that are changed in Discord, with their history, and the state of these communities. */
export function settings({ withoutRowid }: Dialect) {
  return {
    compatible: true,
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('setting_values')
        .ifNotExists()
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('listing', 'text', (column) => column.notNull())
        .addColumn('path', 'text', (column) => column.notNull())
        .addColumn('value', 'text', (column) => column.notNull())
        .addColumn('sealed', 'text')
        .addPrimaryKeyConstraint('setting_values_key', ['guild_id', 'listing', 'path'])
        .modifyEnd(withoutRowid)
        .execute();
      await db.schema
        .createTable('setting_changes')
        .ifNotExists()
        .addColumn('id', 'bigint', (column) => column.primaryKey().notNull())
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('author_id', 'text', (column) => column.notNull())
        .addColumn('interaction_id', 'text', (column) => column.notNull())
        .addColumn('undoes', 'bigint')
        .execute();
      const changes = (name: string) => db.schema.createIndex(name).ifNotExists().on('setting_changes');
      await changes('setting_changes_of_guild').columns(['guild_id', 'id']).execute();
      await changes('setting_changes_interaction').column('interaction_id').unique().execute();
      await changes('setting_changes_author').column('author_id').execute();
      await db.schema
        .createTable('changed_settings')
        .ifNotExists()
        .addColumn('guild_id', 'text', (column) => column.notNull())
        .addColumn('change_id', 'bigint', (column) => column.notNull())
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('listing', 'text', (column) => column.notNull())
        .addColumn('path', 'text', (column) => column.notNull())
        .addColumn('before_value', 'text')
        .addColumn('before_sealed', 'text')
        .addColumn('after_value', 'text')
        .addColumn('after_sealed', 'text')
        .addPrimaryKeyConstraint('changed_settings_key', ['guild_id', 'change_id', 'position'])
        .modifyEnd(withoutRowid)
        .execute();
      await db.schema
        .createTable('guilds')
        .ifNotExists()
        .addColumn('guild_id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('version', 'bigint', (column) => column.notNull())
        .addColumn('missing_since', 'bigint')
        .addColumn('parked_at', 'bigint')
        .addColumn('parked_by', 'text')
        .addColumn('notices', 'integer', (column) => column.notNull().defaultTo(0))
        .modifyEnd(withoutRowid)
        .execute();
      await db.schema.createIndex('guilds_by_version').ifNotExists().on('guilds').columns(['version']).execute();
      await db.schema
        .createIndex('guilds_parked')
        .ifNotExists()
        .on('guilds')
        .column('parked_at')
        .where(sql<boolean>`parked_at is not null`)
        .execute();
      await db.schema
        .createTable('settings_state')
        .ifNotExists()
        .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
        .addColumn('version', 'bigint', (column) => column.notNull())
        .addColumn('key_id', 'text')
        .execute();
    },
  };
}
