import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** Members with linked roles, with their tokens. */
export function linkedMembers({ columnIfNotExists, withoutRowid }: Dialect): Migration {
  return {
    steps: [
      {
        async up(db) {
          await sql`
            alter table balances add column ${columnIfNotExists} role_connection integer not null default 0`.execute(
            db,
          );
        },
      },
      {
        async up(db) {
          await db.schema
            .createTable('linked_members')
            .ifNotExists()
            .addColumn('user_id', 'text', (column) => column.primaryKey().notNull())
            .addColumn('access_token', 'text', (column) => column.notNull())
            .addColumn('refresh_token', 'text', (column) => column.notNull())
            .addColumn('expires_at', 'bigint', (column) => column.notNull())
            .addColumn('locale', 'text', (column) => column.notNull())
            .addColumn('linked_at', 'bigint', (column) => column.notNull())
            .addColumn('pushed', 'text')
            .addColumn('requested_at', 'bigint')
            .addColumn('refreshing_until', 'bigint')
            .modifyEnd(withoutRowid)
            .execute();
        },
      },
    ],
  };
}
