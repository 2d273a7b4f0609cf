import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/**
 * Links each entry to its user's previous entry, and stores the newest entry and the last votes in the balance, so that
 * recording a vote reads a single row. Drops the index of entries by user, which was more than a third of the cost of a
 * vote.
 */
export function passbooks({ jsonObjectAgg }: Dialect) {
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
            select ${jsonObjectAgg(sql.ref('listing'), sql.ref('at'))} from (
              select listing, max(at) as at from entries
              where entries.user_id = balances.user_id and cause in ('vote', 'denied') and listing is not null
              group by listing
            ) as votes
          ), '{}')`.execute(db);
      await db.schema.dropIndex('entries_of_user').execute();
    },
  };
}
