import { type Kysely, sql } from 'kysely';
import { countRows } from '../../../platform/database/migrations/chunk-by-id.ts';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

const rowsPerChunk = 20_000;
/**
 * The newest rows are left to the program: a transaction of an older version that is running may commit ids below the
 * largest one.
 */
const newestRows = 20_000;
const slotMs = 900_000;

/**
 * Counters of rows that are only added, so that summaries do not count whole tables; votes by listing and quarter of an
 * hour; and how far old data is deleted.
 */
export function growth(dialect: Dialect): Migration {
  return {
    compatible: true,
    steps: [
      {
        async up(db) {
          await db.schema
            .createTable('counters')
            .ifNotExists()
            .addColumn('name', 'text', (column) => column.primaryKey().notNull())
            .addColumn('value', 'bigint', (column) => column.notNull())
            .execute();
          await db.schema
            .createTable('vote_counts')
            .ifNotExists()
            .addColumn('listing', 'text', (column) => column.notNull())
            .addColumn('slot', 'bigint', (column) => column.notNull())
            .addColumn('votes', 'bigint', (column) => column.notNull())
            .addPrimaryKeyConstraint('vote_counts_key', ['listing', 'slot'])
            .modifyEnd(dialect.withoutRowid)
            .execute();
          await db.schema
            .createIndex('vote_counts_by_slot')
            .ifNotExists()
            .on('vote_counts')
            .columns(['slot', 'listing'])
            .execute();
          await db.schema
            .createTable('pruning')
            .ifNotExists()
            .addColumn('name', 'text', (column) => column.primaryKey().notNull())
            .addColumn('position', 'bigint', (column) => column.notNull())
            .addColumn('leased_until', 'bigint', (column) => column.notNull())
            .execute();
        },
      },
      countingStep('deliveries', async (db, { from, below }) => {
        const { rows } = await sql<{ count: number }>`
          select count(*) as count from deliveries where id >= ${from} and id < ${below}`.execute(db);
        await add(db, 'deliveries', rows[0]?.count ?? 0);
        return rows[0]?.count ?? 0;
      }),
      countingStep('effects', async (db, { from, below }) => {
        const { rows } = await sql<{ count: number }>`
          select count(*) as count from effects where id >= ${from} and id < ${below}`.execute(db);
        await add(db, 'effects', rows[0]?.count ?? 0);
        return rows[0]?.count ?? 0;
      }),
      countingStep('entries', async (db, { from, below }) => {
        const inRange = sql`id >= ${from} and id < ${below}`;
        const { rows } = await sql<{ count: number; credits: number; votes: number; members: number }>`
          select count(*) as count, cast(coalesce(sum(credits), 0) as bigint) as credits,
            count(case when cause in ('vote', 'denied', 'claim') then 1 end) as votes,
            count(case when previous is null then 1 end) as members
          from entries where ${inRange}`.execute(db);
        const { count = 0, credits = 0, votes = 0, members = 0 } = rows[0] ?? {};
        await add(db, 'credits', credits);
        await add(db, 'votes', votes);
        await add(db, 'members', members);
        await sql`
          insert into vote_counts (listing, slot, votes)
          select coalesce(listing, ''), at / ${sql.lit(slotMs)}, count(*) from entries
          where ${inRange} and cause in ('vote', 'denied', 'claim') group by 1, 2
          on conflict (listing, slot) do update set votes = vote_counts.votes + excluded.votes`.execute(db);
        return count;
      }),
    ],
  };
}

/** Rows with ids from `from` up to, but not including `below`. */
interface IdRange {
  readonly from: number;
  readonly below: number;
}

/** Counts a table up to its newest rows. The counter `<table> below` says up to where. */
function countingStep(table: string, count: (db: Kysely<unknown>, range: IdRange) => Promise<number>) {
  return {
    total: async (db: Kysely<unknown>) => Math.max(0, (await countRows(db, table)) - newestRows),
    async chunk(db: Kysely<unknown>, cursor: string | null) {
      const from = Number(cursor ?? -1) + 1;
      const { rows } = await sql<{ below: number | null }>`
        select min(id) as below from (
          select id from ${sql.table(table)} where id >= ${from} order by id limit 1 offset ${rowsPerChunk}
        ) as next`.execute(db);
      const below = rows[0]?.below ?? null;
      const { rows: newer } = await sql`
        select id from ${sql.table(table)} where id >= ${below ?? from} order by id limit 1 offset ${newestRows}`.execute(
        db,
      );
      if (below === null || newer.length === 0) return null;
      const counted = await count(db, { from, below });
      await sql`delete from counters where name = ${`${table} below`}`.execute(db);
      await add(db, `${table} below`, below);
      return { cursor: String(below - 1), rows: counted };
    },
  };
}

async function add(db: Kysely<unknown>, name: string, value: number): Promise<void> {
  await sql`
    insert into counters (name, value) values (${name}, ${value})
    on conflict (name) do update set value = counters.value + excluded.value`.execute(db);
}
