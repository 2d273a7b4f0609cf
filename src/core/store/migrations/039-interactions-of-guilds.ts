import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';

/** A page of the console chooses the ids of its changes, so those of two guilds may be the same. */
export const interactionsOfGuilds: Migration = {
  compatible: false,
  async up(db) {
    await sql`drop index if exists setting_changes_interaction`.execute(db);
    await sql`
      create unique index if not exists setting_changes_of_interaction
      on setting_changes (guild_id, interaction_id)`.execute(db);
  },
};
