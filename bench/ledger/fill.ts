import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../src/platform/clock.ts';
import { sqlite } from '../../src/store/dialect/sqlite.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { atSql, listing, voterSql, votersOf } from './fixture.ts';

/**
 * Creates a database with this many votes, each with its delivery, entry and finished announcement, in the first
 * schema, so that opening it measures the migration. Uses set-based SQL without durability until the
 * end; the program's own writes would take an hour.
 */
export async function fill(path: string, entries: number): Promise<void> {
  await oldestSchema(path);
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
    for (const insert of inserts(entries)) database.exec(insert);
    for (const { sql } of indexes) database.exec(String(sql));
    database.exec(balances);
    database.exec('PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
}

async function oldestSchema(path: string): Promise<void> {
  const dialect = sqlite(path);
  await migrate(dialect, systemClock, { all: Object.fromEntries(Object.entries(migrations(dialect)).slice(0, 1)) });
  await dialect.close();
}

function inserts(entries: number): string[] {
  const voter = voterSql(votersOf(entries));
  const iso = `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${atSql} / 1000, 'unixepoch')`;
  const numbers = `WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers LIMIT ${entries})`;
  return [
    `${numbers} INSERT INTO deliveries (id, received_at, family, listing, kind, outcome, user_id, credits, event_key, body)
     SELECT i + 1, ${atSql} + 400, 'vote', '${listing}', 'server_vote', 'recorded', ${voter}, 10, ${iso} || ' ' || ${voter} || ' ${listing}',
       '{"event":"server_vote","userId":"' || ${voter} || '","serverId":"613425648685547541","timestamp":"' || ${iso} ||
       '","creditsAwarded":true,"voter":{"username":"a_member_who_votes"}}' FROM numbers`,
    `${numbers} INSERT INTO entries (id, user_id, listing, credits, cause, at, delivery_id)
     SELECT i + 1, ${voter}, '${listing}', 10, 'vote', ${atSql}, i + 1 FROM numbers`,
    `${numbers} INSERT INTO effects (id, delivery_id, kind, channel_id, content, state, attempts, due_at, created_at, finished_at, nonce)
     SELECT i + 1, i + 1, 'announcement', '613425648685547542',
       '{"event":"server_vote","test":false,"listing":"${listing}","userId":"' || ${voter} || '","credits":10,"balance":100,"reason":null,"at":' ||
       ${atSql} || ',"nextVoteAt":' || (${atSql} + 43200000) || ',"tier":null,"giftedBy":null}',
       'done', 1, ${atSql}, ${atSql}, ${atSql} + 900, 'n' || i FROM numbers`,
  ];
}

/** In key order, because the table is clustered by the key. */
const balances = `INSERT INTO balances (user_id, credits, votes)
  SELECT user_id, sum(credits), count(*) FROM entries GROUP BY user_id ORDER BY user_id`;
