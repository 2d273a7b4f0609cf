import { type Kysely, sql } from 'kysely';
import { chunkById, countRows } from '../../../platform/database/migrations/chunk-by-id.ts';
import type { Dialect } from '../dialect/dialect.ts';

const entriesPerChunk = 20_000;
const balancesPerChunk = 5_000;

/**
 * Links each entry to its user's previous entry, and stores the newest entry and the last votes in the balance, so that
 * recording a vote reads a single row. Drops the index of entries by user, which was more than a third of the cost of a
 * vote.
 */
export function passbooks(dialect: Dialect) {
  const { columnIfNotExists } = dialect;
  return {
    steps: [
      {
        async up(db: Kysely<unknown>): Promise<void> {
          await sql`alter table entries add column ${columnIfNotExists} previous bigint`.execute(db);
          await sql`alter table balances add column ${columnIfNotExists} last_entry bigint`.execute(db);
          await sql`
            alter table balances add column ${columnIfNotExists} last_votes text default '{}' not null`.execute(db);
        },
      },
      {
        total: (db: Kysely<unknown>) => countRows(db, 'entries'),
        chunk: (db: Kysely<unknown>, cursor: string | null) => linkEntries(db, cursor),
      },
      {
        // With all columns that the next step reads, since reading ten million entries in random order takes a minute.
        up: (db: Kysely<unknown>) =>
          db.schema
            .createIndex('entries_for_balances')
            .ifNotExists()
            .on('entries')
            .columns(['user_id', 'listing', 'cause', 'at'])
            .execute(),
      },
      {
        total: (db: Kysely<unknown>) => countRows(db, 'balances'),
        chunk: (db: Kysely<unknown>, cursor: string | null) => updateBalances(dialect, db, cursor),
      },
      {
        async up(db: Kysely<unknown>): Promise<void> {
          await db.schema.dropIndex('entries_for_balances').ifExists().execute();
          await db.schema.dropIndex('entries_of_user').ifExists().execute();
        },
      },
    ],
  };
}

/**
 * The first entry of a user in the chunk follows the newest one of the earlier chunks, which the index by user finds.
 * `+ 0` keeps PostgreSQL from searching for the maximum backwards through the ids of all users.
 */
function linkEntries(db: Kysely<unknown>, cursor: string | null) {
  return chunkById(db, 'entries', cursor, entriesPerChunk, ({ after, upTo }) =>
    sql`
      update entries set previous = links.previous
      from (
        select id, coalesce(
          lag(id) over (partition by user_id order by id),
          (select max(earlier.id + 0) from entries as earlier where earlier.user_id = chunk.user_id and earlier.id <= ${after})
        ) as previous
        from entries as chunk where id > ${after} and id <= ${upTo}
      ) as links
      where links.id = entries.id and links.previous is not null`.execute(db),
  );
}

async function updateBalances({ jsonObjectAgg }: Dialect, db: Kysely<unknown>, cursor: string | null) {
  const after = cursor ?? '';
  const { rows } = await sql<{ up_to: string | null; count: number }>`
    select max(user_id) as up_to, count(*) as count
    from (select user_id from balances where user_id > ${after} order by user_id limit ${balancesPerChunk}) as chunk
    `.execute(db);
  const { up_to: upTo = null, count = 0 } = rows[0] ?? {};
  if (upTo === null) return null;
  await sql`
    update balances set
      last_entry = (select max(id + 0) from entries where entries.user_id = balances.user_id),
      last_votes = coalesce((
        select ${jsonObjectAgg(sql.ref('listing'), sql.ref('at'))} from (
          select listing, max(at) as at from entries
          where entries.user_id = balances.user_id and cause in ('vote', 'denied') and listing is not null
          group by listing
        ) as votes
      ), '{}')
    where user_id > ${after} and user_id <= ${upTo}`.execute(db);
  return { cursor: upTo, rows: count };
}
