import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** Which delivery a duplicate repeats, in place of its body. Earlier versions treat such a body like a pruned one. */
export function repeatedDeliveries({ columnIfNotExists }: Dialect): Migration {
  return {
    compatible: true,
    async up(db) {
      await sql`alter table deliveries add column ${columnIfNotExists} original_id bigint`.execute(db);
    },
  };
}
