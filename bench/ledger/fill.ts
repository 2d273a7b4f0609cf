import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { postgres } from '../../src/core/store/dialect/postgres.ts';
import { sqlite } from '../../src/core/store/dialect/sqlite.ts';
import { atSql, listing, voterSql, votersOf } from './fixture.ts';
import { createOldestSchema } from './oldest-schema.ts';

/**
 * Creates a database with this many votes, each with its delivery, entry and finished announcement, in the first
 * schema, so that opening it measures the migration. Uses set-based SQL without durability until the
 * end; the program's own writes would take an hour.
 */
export async function fill(path: string, entries: number): Promise<void> {
  await createOldestSchema(sqlite(path));
  const database = new DatabaseSync(path);
  try {
    // A write-ahead log would receive every page first; a rollback journal contains only pages that existed before.
    for (const pragma of ['journal_mode = MEMORY', 'synchronous = OFF', 'cache_size = -500000'])
      database.exec(`PRAGMA ${pragma}`);
    const indexes: Record<string, unknown>[] = database
      .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
      .all();
    // An index that is built at the end is sorted once instead of being updated per row.
    for (const { name } of indexes) database.exec(`DROP INDEX ${String(name)}`);
    for (const insert of inserts(sqliteSql(entries))) database.exec(insert);
    for (const { sql } of indexes) database.exec(String(sql));
    database.exec(balances);
    database.exec('PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
}

/** The same in an empty PostgreSQL database. */
export async function fillPostgres(url: string, entries: number): Promise<void> {
  await createOldestSchema(postgres(url));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SET synchronous_commit = off');
    const { rows: indexes } = await client.query<{ name: string; sql: string }>(
      `SELECT indexname AS name, indexdef AS sql FROM pg_indexes
       WHERE schemaname = 'public' AND indexname NOT LIKE '%_pkey'`,
    );
    for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
    for (const insert of inserts(postgresSql(entries))) await client.query(insert);
    for (const { sql } of indexes) await client.query(sql);
    await client.query(balances);
    for (const table of ['deliveries', 'entries', 'effects']) {
      await client.query(`SELECT setval(pg_get_serial_sequence('${table}', 'id'), ${entries})`);
    }
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}

/** The parts of the inserts in which the databases differ. */
interface FillSql {
  /** Produces the numbers `i` of the votes, from 0. */
  readonly numbers: string;
  readonly voter: string;
  /** The time of vote `i` in ISO 8601. */
  readonly iso: string;
}

function sqliteSql(entries: number): FillSql {
  return {
    numbers: `(WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers LIMIT ${entries}) SELECT i FROM numbers)`,
    voter: voterSql(votersOf(entries)),
    iso: `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${atSql} / 1000, 'unixepoch')`,
  };
}

function postgresSql(entries: number): FillSql {
  return {
    numbers: `(SELECT i FROM generate_series(0::bigint, ${entries - 1}) AS i)`,
    voter: voterSql(votersOf(entries)),
    iso: `to_char(to_timestamp(${atSql} / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`,
  };
}

function inserts({ numbers, voter, iso }: FillSql): string[] {
  return [
    `INSERT INTO deliveries (id, received_at, family, listing, kind, outcome, user_id, credits, event_key, body)
     SELECT i + 1, ${atSql} + 400, 'vote', '${listing}', 'server_vote', 'recorded', ${voter}, 10, ${iso} || ' ' || ${voter} || ' ${listing}',
       '{"event":"server_vote","userId":"' || ${voter} || '","serverId":"613425648685547541","timestamp":"' || ${iso} ||
       '","creditsAwarded":true,"voter":{"username":"a_member_who_votes"}}' FROM ${numbers} AS numbers`,
    `INSERT INTO entries (id, user_id, listing, credits, cause, at, delivery_id)
     SELECT i + 1, ${voter}, '${listing}', 10, 'vote', ${atSql}, i + 1 FROM ${numbers} AS numbers`,
    `INSERT INTO effects (id, delivery_id, kind, channel_id, content, state, attempts, due_at, created_at, finished_at, nonce)
     SELECT i + 1, i + 1, 'announcement', '613425648685547542',
       '{"event":"server_vote","test":false,"listing":"${listing}","userId":"' || ${voter} || '","credits":10,"balance":100,"reason":null,"at":' ||
       ${atSql} || ',"nextVoteAt":' || (${atSql} + 43200000) || ',"tier":null,"giftedBy":null}',
       'done', 1, ${atSql}, ${atSql}, ${atSql} + 900, 'n' || i FROM ${numbers} AS numbers`,
  ];
}

/** In key order, because the table is clustered by the key. */
const balances = `INSERT INTO balances (user_id, credits, votes)
  SELECT user_id, sum(credits), count(*) FROM entries GROUP BY user_id ORDER BY user_id`;
