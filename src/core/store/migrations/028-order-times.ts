import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** When premium orders were paid and have expired, to know which was later. */
export function orderTimes({ columnIfNotExists }: Dialect): Migration {
  return {
    compatible: true,
    async up(db) {
      await sql`alter table orders add column ${columnIfNotExists} times text`.execute(db);
    },
  };
}
