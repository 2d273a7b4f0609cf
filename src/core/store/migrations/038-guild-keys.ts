import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/**
 * What programs, sites and other guilds may name alike is found by its community, too: orders and their names, corrections,
 * and granted roles. `guild_id` is empty for the home community, as in balances.
 */
export function guildKeys({ withoutRowid }: Dialect): Migration {
  return {
    compatible: false,
    async up(db) {
      const home = sql`(select value from installation where key = 'home')`;
      // A listing that was linked in Discord. The others are of the operator, whose orders are of the home community.
      const linkedBy = sql`(
        select min(guild_id) from changed_settings where path = 'link' and changed_settings.listing = orders.listing
      )`;
      await replaceTable(db, 'orders', {
        columns: (table) =>
          table
            .addColumn('guild_id', 'text', (column) => column.notNull())
            .addColumn('id', 'text', (column) => column.notNull())
            .addColumn('listing', 'text', (column) => column.notNull())
            .addColumn('user_id', 'text')
            .addColumn('tier', 'text')
            .addColumn('state', 'text', (column) => column.notNull())
            .addColumn('period_end', 'bigint')
            .addColumn('updated_at', 'bigint', (column) => column.notNull())
            .addColumn('times', 'text')
            .addPrimaryKeyConstraint('orders_of_guild', ['guild_id', 'id']),
        select: sql`
          select case when ${linkedBy} = ${home} then '' else coalesce(${linkedBy}, '') end,
            id, listing, user_id, tier, state, period_end, updated_at, times
          from orders`,
      });
      await replaceTable(db, 'order_names', {
        columns: (table) =>
          table
            .addColumn('guild_id', 'text', (column) => column.notNull())
            .addColumn('name', 'text', (column) => column.notNull())
            .addColumn('order_id', 'text', (column) => column.notNull())
            .addPrimaryKeyConstraint('order_names_of_guild', ['guild_id', 'name'])
            .modifyEnd(withoutRowid),
        select: sql`
          select orders.guild_id, name, order_id from order_names join orders on orders.id = order_names.order_id`,
      });
      await replaceTable(db, 'corrections', {
        columns: (table) =>
          table
            .addColumn('guild_id', 'text', (column) => column.notNull())
            .addColumn('idempotency_key', 'text', (column) => column.notNull())
            .addColumn('user_id', 'text', (column) => column.notNull())
            .addColumn('credits', 'bigint', (column) => column.notNull())
            .addColumn('reason', 'text', (column) => column.notNull())
            .addColumn('balance', 'bigint', (column) => column.notNull())
            .addColumn('at', 'bigint', (column) => column.notNull())
            .addColumn('author', 'text')
            .addPrimaryKeyConstraint('corrections_of_guild', ['guild_id', 'idempotency_key'])
            .modifyEnd(withoutRowid),
        select: sql`
          select coalesce((select guild_id from balances where balances.user_id = corrections.user_id), ''),
            idempotency_key, user_id, credits, reason, balance, at, author
          from corrections`,
      });
      await sql`create index corrections_with_author on corrections (at) where author is not null`.execute(db);
      await sql`create index corrections_author on corrections (author) where author is not null`.execute(db);
      await replaceTable(db, 'grants', {
        columns: (table) =>
          table
            .addColumn('user_id', 'text', (column) => column.notNull())
            .addColumn('role', 'text', (column) => column.notNull())
            .addColumn('source', 'text', (column) => column.notNull())
            .addColumn('guild_id', 'text', (column) => column.notNull())
            .addColumn('until', 'bigint')
            .addColumn('state', 'text', (column) => column.notNull())
            .addPrimaryKeyConstraint('grants_of_guild', ['user_id', 'role', 'source', 'guild_id']),
        select: sql`select user_id, role, source, guild_id, until, state from grants`,
      });
      await sql`
        create index grants_by_end on grants (until) where state = 'applied' and until is not null`.execute(db);
    },
  };
}

/** A primary key cannot be changed in SQLite. @param select all rows, in the order of the columns */
async function replaceTable(
  db: Kysely<unknown>,
  name: string,
  {
    columns,
    select,
  }: {
    readonly columns: (table: CreateTableBuilder<string, never>) => { execute(): Promise<void> };
    readonly select: ReturnType<typeof sql>;
  },
): Promise<void> {
  const replacement = `new_${name}`;
  await columns(db.schema.createTable(replacement)).execute();
  await sql`insert into ${sql.table(replacement)} ${select}`.execute(db);
  await db.schema.dropTable(name).execute();
  await db.schema.alterTable(replacement).renameTo(name).execute();
}
