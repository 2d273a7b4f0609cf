import { sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';
import type { Migration } from './migration.ts';

/** The trace to which an effect belongs. */
export function effectTraces({ columnIfNotExists }: Dialect): Migration {
  return {
    compatible: true,
    async up(db) {
      await sql`alter table effects add column ${columnIfNotExists} traceparent text`.execute(db);
    },
  };
}
