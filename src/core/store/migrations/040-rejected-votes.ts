import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** Up to which delivery held votes are being rejected: later ones are held as well. */
export function rejectedVotes({ columnIfNotExists }: Dialect): Migration {
  return {
    compatible: true,
    async up(db) {
      await sql`alter table rate_alarms add column ${columnIfNotExists} rejected_until bigint`.execute(db);
    },
  };
}
