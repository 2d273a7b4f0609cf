import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** The trace to which an effect belongs. */
export function effectTraces({ columnIfNotExists }: Dialect): Migration {
  return {
    compatible: true,
    async up(db) {
      await sql`alter table effects add column ${columnIfNotExists} traceparent text`.execute(db);
    },
  };
}
