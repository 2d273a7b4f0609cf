import { DatabaseSync } from 'node:sqlite';
import { sqlite } from '../../src/core/store/dialect/sqlite.ts';
import { createOldestSchema } from '../ledger/oldest-schema.ts';
import { memberIdSql } from '../load/vote.ts';

const votedAt = Date.UTC(2024, 0, 1);

/**
 * Creates a database in which this many members have voted once, a year before the benchmark's votes: an entry and a
 * balance each, without deliveries.
 */
export async function addEarlierMembers(path: string, members: number): Promise<void> {
  await createOldestSchema(sqlite(path));
  const database = new DatabaseSync(path);
  const numbers = `WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers LIMIT ${members})`;
  try {
    database.exec(`
      PRAGMA synchronous = OFF;
      BEGIN;
      ${numbers} INSERT INTO entries (id, user_id, listing, credits, cause, at)
        SELECT i + 1, ${memberIdSql}, 'server', 10, 'vote', ${votedAt} FROM numbers;
      ${numbers} INSERT INTO balances (user_id, credits, votes) SELECT ${memberIdSql}, 10, 1 FROM numbers;
      COMMIT;
      PRAGMA wal_checkpoint(TRUNCATE)`);
  } finally {
    database.close();
  }
}
