import { DatabaseSync } from 'node:sqlite';
import { day as dayMs } from '@tallyhook/platform/durations';
import type { CommunityId } from '../../src/core/ledger/account.ts';
import { monthOf, weekOf } from '../../src/core/rewards/calendar.ts';
import { addVote, emptyHistory } from '../../src/core/rewards/history.ts';
import { serializeHistory } from '../../src/core/store/account-columns.ts';
import type { LogProgress } from '../benchmark.ts';

/** How many communities a database has, and how many members each of them. */
export interface CommunitySizes {
  readonly communities: number;
  readonly members: number;
}

export const listing = 'server';
/** Communities that are filled in one transaction, and between two reports of the progress (ms). */
const chunk = 10;
const progressInterval = 5_000;

/** Ids of 18 digits, like Discord's, ascending, so that the rows are inserted in the order of their keys. */
export function guildIdOf(community: number): string {
  return String(600_000_000_000_000_000n + BigInt(community) * 700_000_001n);
}

/** The key of the community in the database. The first one is the default one. */
export function communityIdOf(community: number): CommunityId {
  return (community + 1) as CommunityId;
}

/** Every community has members of its own. */
export function memberIdOf({ members }: CommunitySizes, community: number, member: number): string {
  return String(200_000_000_000_000_000n + (BigInt(community) * BigInt(members) + BigInt(member)) * 600_001n);
}

/**
 * Gives a new database, which has the current schema, accounts with one entry each, and scores, streaks and a history.
 * Uses bulk SQL without durability until the end: votes would take an hour for ten million accounts.
 * @param now the time of the entries (ms since the epoch)
 */
export function fillCommunities(path: string, sizes: CommunitySizes, now: number, logProgress: LogProgress): void {
  const database = new DatabaseSync(path);
  try {
    // A write-ahead log would receive every page first; a rollback journal contains only pages that existed before.
    for (const pragma of ['journal_mode = MEMORY', 'synchronous = OFF', 'cache_size = -500000', 'foreign_keys = OFF'])
      database.exec(`PRAGMA ${pragma}`);
    const indexes = database
      .prepare(
        `SELECT name, sql FROM sqlite_master
         WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('balances', 'entries')`,
      )
      .all();
    // An index that is built at the end is sorted once instead of being updated per row.
    for (const { name } of indexes) database.exec(`DROP INDEX ${String(name)}`);
    insertAccounts(database, sizes, now, logProgress);
    for (const { name, sql } of indexes) {
      logProgress(`index ${String(name)}`);
      database.exec(String(sql));
    }
    database.exec('PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
}

function insertAccounts(
  database: DatabaseSync,
  { communities, members }: CommunitySizes,
  now: number,
  logProgress: LogProgress,
): void {
  const today = Math.floor(now / dayMs);
  const numbers = `(WITH RECURSIVE numbers(m) AS (SELECT 0 UNION ALL SELECT m + 1 FROM numbers LIMIT ${members}) SELECT m FROM numbers)`;
  // Of the account: its number in the database, from 0, and its member.
  const account = `(:community * ${members} + m)`;
  const member = `CAST(200000000000000000 + ${account} * 600001 AS TEXT)`;
  const accountId = `(:community + 1) || ':' || ${member}`;
  const keys = database.prepare(`
    INSERT OR REPLACE INTO communities (id, guild_id, is_default) VALUES (:community + 1, :guild, :community = 0)`);
  const balances = database.prepare(`
    INSERT INTO balances (account_id, credits, votes, last_entry, last_votes, entries, history,
      week_start, week_votes, week_credits, month_start, month_votes, month_credits, streak_days, streak_last_day)
    SELECT ${accountId}, 10, 1, ${account} + 1, :lastVotes, 1, :history,
      iif(m % 3 = 0, :week, 0), m % 14 + 1, (m % 14 + 1) * 10, iif(m % 2 = 0, :month, 0), m % 50 + 1, (m % 50 + 1) * 10,
      m % 200, iif(m % 5 < 2, :today, 0)
    FROM ${numbers}`);
  const entries = database.prepare(`
    INSERT INTO entries (id, account_id, listing, credits, cause, at, number)
    SELECT ${account} + 1, ${accountId}, :listing, 10, 'vote', :at, 1 FROM ${numbers}`);
  const at = now - dayMs;
  let reportedAt = performance.now();
  for (let community = 0; community < communities; community += 1) {
    if (community % chunk === 0) database.exec('BEGIN');
    // A number would be bound as a floating-point one, and the ids have more digits.
    const ids = { community: BigInt(community) };
    keys.run({ ...ids, guild: guildIdOf(community) });
    balances.run({
      ...ids,
      lastVotes: JSON.stringify({ [listing]: at }),
      history: serializeHistory(addVote(emptyHistory, listing, today, new Set())),
      week: weekOf(today),
      month: monthOf(today),
      today,
    });
    entries.run({ ...ids, listing, at });
    if (community % chunk === chunk - 1 || community === communities - 1) database.exec('COMMIT');
    if (performance.now() - reportedAt < progressInterval) continue;
    reportedAt = performance.now();
    logProgress(
      `${(community + 1).toLocaleString('en-US')} of ${communities.toLocaleString('en-US')} communities filled`,
    );
  }
}
