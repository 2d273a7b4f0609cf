import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** The votes per hour of listings whose votes can be forged, and which of them are held. */
export function rateAlarms({ withoutRowid }: Dialect) {
  return {
    compatible: true,
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('rate_alarms')
        .ifNotExists()
        .addColumn('listing', 'text', (column) => column.primaryKey().notNull())
        .addColumn('hour', 'bigint', (column) => column.notNull())
        .addColumn('votes', 'bigint', (column) => column.notNull())
        .addColumn('usual', 'bigint', (column) => column.notNull())
        .addColumn('hours', 'bigint', (column) => column.notNull())
        .addColumn('state', 'text')
        .addColumn('held_at', 'bigint')
        .addColumn('expected_until', 'bigint')
        .modifyEnd(withoutRowid)
        .execute();
    },
  };
}
