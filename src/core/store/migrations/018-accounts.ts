import { type Kysely, sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/**
 * Accounts per guild. Accounts of the home community stay as they are, and are in none of the new indexes, so that they
 * cost nothing. What a process of an earlier version writes belongs to the home community.
 */
export function accounts({ columnIfNotExists, withoutRowid }: Dialect): Migration {
  const addColumn = (db: Kysely<unknown>, table: string, column: string) =>
    sql`alter table ${sql.table(table)} add column ${columnIfNotExists} ${sql.raw(column)}`.execute(db);
  return {
    compatible: true,
    steps: [
      {
        async up(db) {
          await addColumn(db, 'balances', `guild_id text not null default ''`);
          await addColumn(db, 'balances', 'member_id text');
          await addColumn(db, 'purchases', `account_guild_id text not null default ''`);
        },
      },
      {
        async up(db) {
          await sql`
            create index if not exists balances_by_guild on balances (guild_id, user_id) where guild_id <> ''`.execute(
            db,
          );
        },
      },
      {
        async up(db) {
          await sql`
            create index if not exists balances_by_member on balances (member_id) where member_id is not null`.execute(
            db,
          );
        },
      },
      {
        async up(db) {
          await db.schema
            .createTable('installation')
            .ifNotExists()
            .addColumn('key', 'text', (column) => column.primaryKey().notNull())
            .addColumn('value', 'text', (column) => column.notNull())
            .modifyEnd(withoutRowid)
            .execute();
        },
      },
    ],
  };
}
