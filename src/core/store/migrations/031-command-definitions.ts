import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** What was registered as a slash command, so that a command which another program has changed is recognised. */
export function commandDefinitions({ columnIfNotExists }: Dialect): Migration {
  return {
    compatible: true,
    async up(db) {
      await sql`alter table registered_commands add column ${columnIfNotExists} definition text`.execute(db);
    },
  };
}
