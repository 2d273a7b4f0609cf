import { DatabaseSync } from 'node:sqlite';
import { day as dayMs } from '@tallyhook/platform/durations';
import { monthOf, weekOf } from '../../src/core/rewards/calendar.ts';
import { addVote, emptyHistory } from '../../src/core/rewards/history.ts';
import { serializeHistory } from '../../src/core/store/account-columns.ts';
import { listing } from './fixture.ts';

/**
 * Gives the members of a filled ledger what rewards store of them: a history, scores of the week and month of `now` (ms
 * since the epoch, in UTC), and streaks. A third of the members voted this week, half of them this month, and two fifths
 * have a streak.
 */
export function writeScores(path: string, now: number): void {
  const today = Math.floor(now / dayMs);
  const database = new DatabaseSync(path);
  try {
    database
      .prepare(
        `WITH members AS (SELECT account_id AS id, CAST(substr(account_id, instr(account_id, ':') + 1) AS INTEGER) / 600000001 AS n FROM balances)
         UPDATE balances SET
           history = :history,
           week_start = iif(n % 3 = 0, :week, 0),
           week_votes = n % 14 + 1,
           week_credits = (n % 14 + 1) * 10 + n % 7 * 50,
           month_start = iif(n % 2 = 0, :month, 0),
           month_votes = n % 50 + 1,
           month_credits = (n % 50 + 1) * 10 + n % 11 * 50,
           credits = votes * 10 + n % 1999 * 5,
           streak_days = n % 200,
           streak_last_day = iif(n % 5 < 2, :today, 0)
         FROM members WHERE members.id = balances.account_id`,
      )
      .run({
        history: serializeHistory(addVote(emptyHistory, listing, today, new Set())),
        week: weekOf(today),
        month: monthOf(today),
        today,
      });
  } finally {
    database.close();
  }
}
