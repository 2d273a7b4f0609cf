import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@tallyhook/platform/clock';
import { voteKey } from '../../src/core/tally/idempotency-key.ts';
import { openStore } from '../../src/features/store.ts';
import { accountOf, firstCommunity } from '../../test/support/communities.ts';
import { atSql, listing, voterSql, votersOf } from './fixture.ts';

/**
 * Creates a database with this many votes, each with its delivery, key, entry and finished announcement. Uses set-based
 * SQL without durability until the end; the program's own writes would take an hour.
 */
export async function fill(path: string, entries: number): Promise<void> {
  await (await openStore(`sqlite:${path}`, systemClock, { thread: false })).close();
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
    const named = { name: listing, community: { id: firstCommunity } };
    database.function('event_key', { deterministic: true }, (userId, at) =>
      Buffer.from(voteKey({ userId: String(userId), at: Number(at) }, named, Number(at)), 'hex'),
    );
    for (const insert of inserts(entries)) database.exec(insert);
    for (const { sql } of indexes) database.exec(String(sql));
    database.exec('PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
}

function inserts(entries: number): string[] {
  const voters = votersOf(entries);
  const voter = voterSql(voters);
  const iso = `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${atSql} / 1000, 'unixepoch')`;
  const numbers = `(WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers LIMIT ${entries}) SELECT i FROM numbers)`;
  return [
    `INSERT INTO deliveries (id, received_at, family, listing, kind, outcome, user_id, credits, body)
     SELECT i + 1, ${atSql} + 400, 'vote', '${listing}', 'server_vote', 'recorded', ${voter}, 10,
       '{"event":"server_vote","userId":"' || ${voter} || '","serverId":"613425648685547541","timestamp":"' || ${iso} ||
       '","creditsAwarded":true,"voter":{"username":"a_member_who_votes"}}' FROM ${numbers} AS numbers`,
    `INSERT INTO event_keys (key, delivery_id) SELECT event_key(${voter}, ${atSql}), i + 1 FROM ${numbers} AS numbers`,
    // The vote before this one of the same member.
    `INSERT INTO entries (id, account_id, listing, credits, cause, at, delivery_id, previous, number)
     SELECT i + 1, '${accountOf('')}' || ${voter}, '${listing}', 10, 'vote', ${atSql}, i + 1, iif(i < ${voters}, NULL, i + 1 - ${voters}), i / ${voters} + 1
     FROM ${numbers} AS numbers`,
    `INSERT INTO effects (id, delivery_id, kind, queue, content, state, attempts, due_at, created_at, finished_at, nonce)
     SELECT i + 1, i + 1, 'announcement', '613425648685547542',
       '["server_vote",false,"${listing}","' || ${voter} || '",10,100,null,' || ${atSql} || ',' || (${atSql} + 43200000) ||
       ',null,null,null,null,[],[]]',
       'done', 1, ${atSql}, ${atSql}, ${atSql} + 900, 'n' || i FROM ${numbers} AS numbers`,
    // In key order, because the table is clustered by the key.
    `INSERT INTO balances (account_id, credits, votes, last_entry, last_votes, entries)
     SELECT account_id, sum(credits), count(*), max(id), '{"${listing}":' || max(at) || '}', count(*)
     FROM entries GROUP BY account_id ORDER BY account_id`,
  ];
}
