import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** Who is reminded of votes, when each vote becomes due, and why reminders were switched off by the program. */
export function reminders({ columnIfNotExists }: Dialect): Migration {
  return {
    steps: [
      {
        async up(db) {
          await sql`
            alter table balances add column ${columnIfNotExists} reminder integer not null default 0`.execute(db);
        },
      },
      {
        async up(db) {
          await db.schema
            .createTable('reminders')
            .ifNotExists()
            .addColumn('user_id', 'text', (column) => column.notNull())
            .addColumn('listing', 'text', (column) => column.notNull())
            .addColumn('due_at', 'bigint', (column) => column.notNull())
            .addColumn('leased_until', 'bigint')
            .addPrimaryKeyConstraint('reminders_key', ['user_id', 'listing'])
            .execute();
          await db.schema
            .createIndex('reminders_due')
            .ifNotExists()
            .on('reminders')
            .columns(['due_at', 'user_id', 'listing'])
            .execute();
          await db.schema
            .createTable('reminder_stops')
            .ifNotExists()
            .addColumn('user_id', 'text', (column) => column.primaryKey().notNull())
            .addColumn('reason', 'text', (column) => column.notNull())
            .addColumn('at', 'bigint', (column) => column.notNull())
            .addColumn('told', 'integer', (column) => column.notNull())
            .execute();
        },
      },
    ],
  };
}
