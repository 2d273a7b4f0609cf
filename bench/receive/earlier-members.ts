import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@tallyhook/platform/clock';
import { day as dayMs } from '@tallyhook/platform/durations';
import { addToScores, noScores } from '../../src/core/rewards/calendar.ts';
import { addVote, emptyHistory } from '../../src/core/rewards/history.ts';
import { serializeHistory } from '../../src/core/store/account-columns.ts';
import { openStore } from '../../src/features/store.ts';
import { accountOf } from '../../test/support/communities.ts';
import { memberIdSql, scatteredNumbersSql } from '../load/vote.ts';

/** Before the benchmark's votes. */
const day = Math.floor(Date.now() / dayMs) - 60;
const votedAt = day * dayMs;
const credits = 10;

/** Creates a database in which this many members have voted once: an entry and a balance each, without deliveries. */
export async function addEarlierMembers(path: string, members: number): Promise<void> {
  await (await openStore(`sqlite:${path}`, systemClock, { thread: false })).close();
  const database = new DatabaseSync(path);
  const numbers = scatteredNumbersSql(members);
  const history = serializeHistory(addVote(emptyHistory, 'server', day, new Set()));
  // The listing is of the first community.
  const accountId = `'${accountOf('')}' || ${memberIdSql}`;
  const { week, month } = addToScores(noScores, day, 1, credits);
  try {
    database.exec(`
      PRAGMA synchronous = OFF;
      PRAGMA cache_size = -400000;
      BEGIN;
      ${numbers} INSERT INTO entries (id, account_id, listing, credits, cause, at, number)
        SELECT i + 1, ${accountId}, 'server', ${credits}, 'vote', ${votedAt}, 1 FROM numbers ORDER BY i;
      ${numbers} INSERT INTO balances (
          account_id, credits, votes, last_entry, last_votes, entries, history,
          week_start, week_votes, week_credits, month_start, month_votes, month_credits
        ) SELECT
          ${accountId}, ${credits}, 1, i + 1, '{"server":${votedAt}}', 1, '${history}',
          ${week.start}, 1, ${credits}, ${month.start}, 1, ${credits} FROM numbers;
      COMMIT;
      PRAGMA wal_checkpoint(TRUNCATE)`);
  } finally {
    database.close();
  }
}
