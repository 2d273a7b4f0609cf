import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** All votes of a member that wait for their site. A row had the delivery of one, in a column that is not used any more. */
export function waitingVotes({ columnIfNotExists }: Dialect): Migration {
  return {
    compatible: true,
    async up(db) {
      await sql`alter table confirmations add column ${columnIfNotExists} waiting text`.execute(db);
    },
  };
}
