import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { listen } from '../../process/child.ts';
import type { Start } from '../contender.ts';
import { expressSample } from './express.ts';

/** The sample with durable votes: one transaction per vote, prepared statements, write-ahead log. */
export const start: Start = ({ directory }) => {
  const database = new DatabaseSync(join(directory, 'votes.db'));
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE votes (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (user_id, at));
    CREATE TABLE balances (user_id TEXT PRIMARY KEY, credits INTEGER NOT NULL) WITHOUT ROWID;
  `);
  const insert = database.prepare('INSERT INTO votes (user_id, at, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const credit = database.prepare(
    'INSERT INTO balances VALUES (?, 10) ON CONFLICT (user_id) DO UPDATE SET credits = credits + 10',
  );
  const [begin, commit] = [database.prepare('BEGIN'), database.prepare('COMMIT')];
  const record = (userId: string, at: string, body: string) => {
    begin.run();
    if (insert.run(userId, at, body).changes > 0) credit.run(userId);
    commit.run();
  };
  const app = expressSample(({ userId, timestamp }, body) => record(userId, timestamp, JSON.stringify(body)));
  return listen(createServer(app));
};
