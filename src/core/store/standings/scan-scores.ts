import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { isSnowflake } from '../../../platform/snowflake.ts';
import { type AccountScope, memberOf } from '../../ledger/account-id.ts';
import { monthOf, weekOf } from '../../rewards/calendar.ts';
import { accountOf } from '../account-columns.ts';
import { preparedQuery } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { type AccountRange, accountRanges, inRange } from './account-ranges.ts';
import { type MemberScores, ScoreTable } from './score-table.ts';

/** Balances that one query reads: about 3 ms, in which SQLite blocks this thread. */
const scanSize = 1_000;

/**
 * Reads the scores of all members of a community on a calendar day (day number). Scans their balances, and yields to
 * other work in between. Indexes would avoid the scan, but make every vote twice as expensive, even if nobody uses a
 * leaderboard.
 */
export function createScoreScan(
  db: Kysely<Tables>,
  reading: Connection,
  accounts: AccountScope,
): (day: number) => Promise<ScoreTable> {
  const selectScores = (before: string | null) =>
    preparedQuery<ScanArgs>()((placeholder) => {
      const range = { after: placeholder('after'), before: before === null ? null : placeholder('before') };
      return inRange(selectIn(placeholder), accounts, range).limit(scanSize);
    });
  const selectIn = (placeholder: <Name extends keyof ScanArgs>(name: Name) => ScanArgs[Name]) =>
    db
      .selectFrom('balances')
      .select(['user_id', 'credits', 'votes'])
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
      });
  const select = { bounded: selectScores(''), unbounded: selectScores(null) };

  return async (day) => {
    const table = new ScoreTable();
    const periods = { week: weekOf(day), month: monthOf(day), day };
    for (const range of await accountRanges(db, reading, accounts)) await scanRange(range, periods, table);
    return table;
  };

  async function scanRange({ after: first, before }: AccountRange, periods: Periods, table: ScoreTable): Promise<void> {
    for (let after: string | undefined = first; after !== undefined; ) {
      const rows: readonly ScoreRow[] =
        before === null
          ? await select.unbounded(reading, { after, before: '', ...periods })
          : await select.bounded(reading, { after, before, ...periods });
      for (const { user_id, ...scores } of rows) {
        const userId = memberOf(accountOf({ user_id }));
        // A member who was forgotten has a pseudonym, which is no Discord ID.
        if (isSnowflake(userId)) table.add({ userId, ...scores });
      }
      after = rows.length < scanSize ? undefined : rows.at(-1)?.user_id;
      await nextTurn();
    }
  }
}

interface Periods {
  readonly week: number;
  readonly month: number;
  readonly day: number;
}

type ScanArgs = Periods & { readonly after: string; readonly before: string };
type ScoreRow = Omit<MemberScores, 'userId'> & { readonly user_id: string };
