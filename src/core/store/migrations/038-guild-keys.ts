import { type Kysely, sql } from 'kysely';
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
        columns: sql`
          guild_id text not null, id text not null, listing text not null, user_id text, tier text, state text not null,
          period_end bigint, updated_at bigint not null, times text, primary key (guild_id, id)`,
        select: sql`
          select case when ${linkedBy} = ${home} then '' else coalesce(${linkedBy}, '') end,
            id, listing, user_id, tier, state, period_end, updated_at, times
          from orders`,
      });
      await replaceTable(db, 'order_names', {
        columns: sql`guild_id text not null, name text not null, order_id text not null, primary key (guild_id, name)`,
        options: withoutRowid,
        select: sql`
          select orders.guild_id, name, order_id from order_names join orders on orders.id = order_names.order_id`,
      });
      await replaceTable(db, 'corrections', {
        columns: sql`
          guild_id text not null, idempotency_key text not null, user_id text not null, credits bigint not null,
          reason text not null, balance bigint not null, at bigint not null, author text, primary key (guild_id, idempotency_key)`,
        options: withoutRowid,
        select: sql`
          select coalesce((select guild_id from balances where balances.user_id = corrections.user_id), ''),
            idempotency_key, user_id, credits, reason, balance, at, author
          from corrections`,
      });
      await sql`create index corrections_with_author on corrections (at) where author is not null`.execute(db);
      await sql`create index corrections_author on corrections (author) where author is not null`.execute(db);
      await replaceTable(db, 'grants', {
        columns: sql`
          user_id text not null, role text not null, source text not null, guild_id text not null, until bigint, state text not null, primary key (user_id, role, source, guild_id)`,
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
    options = sql``,
    select,
  }: {
    /** With a primary key that has no name, so that the change can be repeated beside the table that it has made. */
    readonly columns: ReturnType<typeof sql>;
    /** After the columns. */
    readonly options?: ReturnType<typeof sql>;
    readonly select: ReturnType<typeof sql>;
  },
): Promise<void> {
  const replacement = `new_${name}`;
  await sql`create table ${sql.table(replacement)} (${columns}) ${options}`.execute(db);
  await sql`insert into ${sql.table(replacement)} ${select}`.execute(db);
  await db.schema.dropTable(name).execute();
  await db.schema.alterTable(replacement).renameTo(name).execute();
}
