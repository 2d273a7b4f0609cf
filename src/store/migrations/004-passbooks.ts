import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/**
 * Each entry names its user's entry before it, and the balance names the newest one and the last votes: what recording a vote has to know
 * stands in one row. The index of the entries by user goes; keeping it was more than a third of what a vote cost.
 */
export function passbooks({ jsonObjectAgg: jsonOf }: Dialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable('entries').addColumn('previous', 'bigint').execute();
      await db.schema.alterTable('balances').addColumn('last_entry', 'bigint').execute();
      await db.schema
        .alterTable('balances')
        .addColumn('last_votes', 'text', (column) => column.notNull().defaultTo('{}'))
        .execute();
      await sql`
        update entries set previous = links.previous
        from (select id, lag(id) over (partition by user_id order by id) as previous from entries) as links
        where links.id = entries.id and links.previous is not null`.execute(db);
      await sql`
        update balances set
          last_entry = (select max(id) from entries where entries.user_id = balances.user_id),
          last_votes = coalesce((
            select ${jsonOf(sql.ref('listing'), sql.ref('at'))} from (
              select listing, max(at) as at from entries
              where entries.user_id = balances.user_id and cause in ('vote', 'denied') and listing is not null
              group by listing
            ) as votes
          ), '{}')`.execute(db);
      await db.schema.dropIndex('entries_of_user').execute();
    },
  };
}
