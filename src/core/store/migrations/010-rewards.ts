import { type Kysely, sql } from 'kysely';
import { chunkById, countRows } from '../../../platform/database/migrations/chunk-by-id.ts';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

const entriesPerChunk = 50_000;

/**
 * What rewards need to know of each member, roles with their ends, parties, and times in which receiving was down. The
 * causes `purchase` and `renewal` become `premium`, because `purchase` is the shop's.
 */
export function rewards({ columnIfNotExists }: Dialect): Migration {
  return {
    steps: [
      {
        async up(db) {
          const zero = sql`not null default 0`;
          await addColumn(db, 'entries', sql`achievement text`);
          await addColumn(db, 'balances', sql`history text`);
          await addColumn(db, 'balances', sql`roles text`);
          for (const period of ['week', 'month']) {
            await addColumn(db, 'balances', sql`${sql.raw(period)}_start integer ${zero}`);
            await addColumn(db, 'balances', sql`${sql.raw(period)}_votes integer ${zero}`);
            await addColumn(db, 'balances', sql`${sql.raw(period)}_credits bigint ${zero}`);
          }
          await addColumn(db, 'balances', sql`streak_days integer ${zero}`);
          await addColumn(db, 'balances', sql`streak_last_day integer ${zero}`);
        },
      },
      {
        async up(db) {
          await db.schema
            .createTable('grants')
            .ifNotExists()
            .addColumn('user_id', 'text', (column) => column.notNull())
            .addColumn('role', 'text', (column) => column.notNull())
            .addColumn('source', 'text', (column) => column.notNull())
            .addColumn('guild_id', 'text', (column) => column.notNull())
            .addColumn('until', 'bigint')
            .addColumn('state', 'text', (column) => column.notNull())
            .addPrimaryKeyConstraint('grants_key', ['user_id', 'role', 'source'])
            .execute();
          await db.schema
            .createIndex('grants_by_end')
            .ifNotExists()
            .on('grants')
            .column('until')
            .where(sql<boolean>`state = 'applied' and until is not null`)
            .execute();
          await db.schema
            .createTable('parties')
            .ifNotExists()
            .addColumn('period', 'text', (column) => column.primaryKey().notNull())
            .addColumn('votes', 'bigint', (column) => column.notNull())
            .addColumn('reached_at', 'bigint')
            .execute();
          await db.schema
            .createTable('party_voters')
            .ifNotExists()
            .addColumn('period', 'text', (column) => column.notNull())
            .addColumn('user_id', 'text', (column) => column.notNull())
            .addColumn('state', 'text', (column) => column.notNull())
            .addPrimaryKeyConstraint('party_voters_key', ['period', 'user_id'])
            .execute();
          await db.schema
            .createIndex('party_voters_unpaid')
            .ifNotExists()
            .on('party_voters')
            .columns(['period', 'user_id'])
            .where(sql<boolean>`state = 'eligible'`)
            .execute();
          await db.schema
            .createTable('outages')
            .ifNotExists()
            .addColumn('from_at', 'bigint', (column) => column.primaryKey().notNull())
            .addColumn('until_at', 'bigint', (column) => column.notNull())
            .execute();
          await db.schema
            .createTable('heartbeats')
            .ifNotExists()
            .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
            .addColumn('at', 'bigint', (column) => column.notNull())
            .execute();
        },
      },
      {
        total: (db) => countRows(db, 'entries'),
        chunk: (db, cursor) =>
          chunkById(db, 'entries', cursor, entriesPerChunk, ({ after, upTo }) =>
            sql`
              update entries set cause = 'premium'
              where id > ${after} and id <= ${upTo} and cause in ('purchase', 'renewal')`.execute(db),
          ),
      },
    ],
  };

  function addColumn(db: Kysely<unknown>, table: string, column: ReturnType<typeof sql>) {
    return sql`alter table ${sql.table(table)} add column ${columnIfNotExists} ${column}`.execute(db);
  }
}
