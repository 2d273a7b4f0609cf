import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/**
 * A code is issued once in its guild. It used to be issued once in all guilds, and processes of that version still
 * compare it with all purchases, which is stricter. The links that a guild had before are read with its settings.
 */
export function guildIndexes({ cascade }: Dialect): Migration {
  return {
    compatible: true,
    async up(db) {
      await db.schema
        .createIndex('purchases_code_of_guild')
        .ifNotExists()
        .on('purchases')
        // The code first: those of the home community are searched in several guilds.
        .columns(['code', 'guild_id'])
        .unique()
        .where(sql<boolean>`code is not null`)
        .execute();
      await sql`drop index if exists purchases_code ${cascade}`.execute(db);
      await db.schema
        .createIndex('changed_settings_links')
        .ifNotExists()
        .on('changed_settings')
        .column('guild_id')
        .where(sql<boolean>`path = 'link'`)
        .execute();
    },
  };
}
