import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { memberIdSql, scatteredNumbersSql } from '../../load/vote.ts';
import type { Vote } from './express.ts';

/**
 * A database of the samples: two rows for a vote, prepared statements, write-ahead log. Returns what records votes in one
 * transaction.
 * @param members who have voted before
 */
export function openVotes(directory: string, members = 0): (votes: readonly Vote[]) => void {
  const database = new DatabaseSync(join(directory, 'votes.db'));
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE votes (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (user_id, at));
    CREATE TABLE balances (user_id TEXT PRIMARY KEY, credits INTEGER NOT NULL) WITHOUT ROWID;
  `);
  if (members > 0) {
    database.exec(`
      PRAGMA cache_size = -400000;
      ${scatteredNumbersSql(members)} INSERT INTO balances SELECT ${memberIdSql}, 10 FROM numbers;
      PRAGMA wal_checkpoint(TRUNCATE);
      PRAGMA cache_size = -2000`);
  }
  const insert = database.prepare('INSERT INTO votes (user_id, at, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const credit = database.prepare(
    'INSERT INTO balances VALUES (?, 10) ON CONFLICT (user_id) DO UPDATE SET credits = credits + 10',
  );
  const [begin, commit] = [database.prepare('BEGIN'), database.prepare('COMMIT')];
  return (votes) => {
    begin.run();
    for (const vote of votes)
      if (insert.run(vote.userId, vote.timestamp, JSON.stringify(vote)).changes > 0) credit.run(vote.userId);
    commit.run();
  };
}
