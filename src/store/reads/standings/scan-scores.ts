import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { isSnowflake } from '../../../platform/snowflake.ts';
import { monthOf, weekOf } from '../../../rewards/calendar.ts';
import type { Connection } from '../../dialect/dialect.ts';
import { preparedQuery } from '../../query-builder.ts';
import type { Tables } from '../../tables.ts';
import { type MemberScores, ScoreTable } from './score-table.ts';

/** Balances that one query reads: about 3 ms, in which SQLite blocks this thread. */
const scanSize = 1_000;

/**
 * Reads the scores of all members on a calendar day (day number). Scans the balances, and yields to other work in
 * between. Indexes would avoid the scan, but make every vote twice as expensive, even if nobody uses a leaderboard.
 */
export function createScoreScan(db: Kysely<Tables>, reading: Connection): (day: number) => Promise<ScoreTable> {
  const selectScores = preparedQuery<{ after: string; week: number; month: number; day: number }>()((placeholder) =>
    db
      .selectFrom('balances')
      .select(['user_id as userId', 'credits', 'votes'])
      .select(({ eb }) => {
        const ofWeek = eb('week_start', '=', placeholder('week'));
        const ofMonth = eb('month_start', '=', placeholder('month'));
        return [
          eb.case().when(ofWeek).then(eb.ref('week_votes')).else(0).end().as('weekVotes'),
          eb.case().when(ofWeek).then(eb.ref('week_credits')).else(0).end().as('weekCredits'),
          eb.case().when(ofMonth).then(eb.ref('month_votes')).else(0).end().as('monthVotes'),
          eb.case().when(ofMonth).then(eb.ref('month_credits')).else(0).end().as('monthCredits'),
          eb
            .case()
            .when(eb('streak_last_day', '>=', placeholder('day')))
            .then(eb.ref('streak_days'))
            .else(0)
            .end()
            .as('streak'),
        ];
      })
      .where('user_id', '>', placeholder('after'))
      .orderBy('user_id')
      .limit(scanSize),
  );

  return async (day) => {
    const table = new ScoreTable();
    const periods = { week: weekOf(day), month: monthOf(day), day };
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: readonly MemberScores[] = await selectScores(reading, { after, ...periods });
      // A member who was forgotten has a pseudonym, which is no Discord ID.
      for (const row of rows) if (isSnowflake(row.userId)) table.add(row);
      after = rows.length < scanSize ? undefined : rows.at(-1)?.userId;
      await nextTurn();
    }
    return table;
  };
}
