import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/store/store.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { tempDir } from '../../support/temp-dir.ts';

it('ranks more accounts than one query of the leaderboard reads', async () => {
  const path = join(tempDir(), 'tally.db');
  const store = await openStore(`sqlite:${path}`, manualClock(0), { thread: false });
  onTestFinished(() => store.close());
  const database = new DatabaseSync(path);
  const accounts = Array.from({ length: 25_000 }, (_, index) => ({
    userId: String(10 ** (2 + (index % 9)) + index),
    credits: (index * 7_919) % 3_001,
  }));
  const insert = database.prepare(
    'INSERT OR IGNORE INTO balances (user_id, credits, votes) VALUES (:userId, :credits, 1)',
  );
  database.exec('BEGIN');
  for (const account of accounts) insert.run(account);
  database.exec('COMMIT');
  const rows = database.prepare('SELECT user_id, credits FROM balances').all() as {
    user_id: string;
    credits: number;
  }[];
  database.close();

  const { places } = await store.ledger.leaderboard({ limit: 2_000 });
  const sorted = rows.sort((a, b) => b.credits - a.credits || Number(BigInt(a.user_id) - BigInt(b.user_id)));
  expect(places).toHaveLength(1_000);
  expect(places.map(({ userId }) => userId)).toEqual(sorted.slice(0, 1_000).map(({ user_id }) => user_id));
});
