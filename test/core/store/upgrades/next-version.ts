import { systemClock } from '@tallyhook/platform/clock';
import type { Migration } from '@tallyhook/platform/database/migrations/migration';
import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../../../../src/core/store/dialect/dialect.ts';
import { migrate, migrations } from '../../../../src/core/store/migrations/index.ts';
import { dialectAt } from '../../../support/dialect-at.ts';

/** Enough for many transactions in a database of `rows` rows. */
export const rows = 10_000;
const rowsPerChunk = 500;

export const nextMigration = '002-next';

/**
 * The migrations of a next version: a compatible one adds a column, counts in it how often each row is processed, and
 * adds an index.
 */
export function nextMigrations(dialect: Dialect): Record<string, Migration> {
  const ifNotExists = sql.raw(dialect.name === 'postgres' ? 'if not exists' : '');
  const next: Migration = {
    compatible: true,
    steps: [
      {
        async up(db) {
          await run(db, sql`alter table entries add column ${ifNotExists} times_seen integer default 0 not null`);
        },
      },
      {
        total: async (db) =>
          Number((await run<{ count: number }>(db, sql`select count(*) as count from entries`))[0]?.count),
        async chunk(db, after) {
          const ids = sql`select id from entries where id > ${Number(after ?? 0)} order by id limit ${rowsPerChunk}`;
          const seen = await run<{ id: number }>(
            db,
            sql`update entries set times_seen = times_seen + 1 where id in (${ids}) returning id`,
          );
          const last = Math.max(...seen.map(({ id }) => Number(id)));
          return seen.length === 0 ? null : { cursor: String(last), rows: seen.length };
        },
      },
      {
        async up(db) {
          await run(db, sql`create index if not exists entries_seen on entries (times_seen)`);
        },
      },
    ],
  };
  return { ...migrations(dialect), [nextMigration]: next };
}

async function run<Row>(db: Kysely<unknown>, query: ReturnType<typeof sql>): Promise<readonly Row[]> {
  return (await query.execute(db)).rows as readonly Row[];
}

/** Creates a database of this version with {@link rows} entries. */
export async function createDatabase(url: string): Promise<void> {
  const dialect = dialectAt(url);
  await migrate(dialect, systemClock);
  await dialect.migrating.begin();
  await dialect.migrating.run({
    sql: `insert into entries (account_id, credits, cause, at, number)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})
      select '1:7', 0, 'correction', n, n from numbers`,
    parameters: [],
  });
  await dialect.migrating.commit();
  await dialect.close();
}
