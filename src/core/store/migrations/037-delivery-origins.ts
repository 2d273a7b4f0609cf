import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** The listings whose secret has authenticated a quarantined delivery. */
export function deliveryOrigins({ columnIfNotExists }: Dialect): Migration {
  return {
    // Earlier versions would replay such a delivery for another listing.
    compatible: false,
    async up(db) {
      await sql`alter table deliveries add column ${columnIfNotExists} origin text`.execute(db);
    },
  };
}
