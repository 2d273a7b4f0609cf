import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { preparedQuery } from '../../../platform/database/prepared-query.ts';
import { isSnowflake } from '../../../platform/snowflake.ts';
import { type AccountId, accountIdOf, accountRange, type CommunityId } from '../../ledger/account.ts';
import type { Board } from '../../ledger/standing.ts';
import { monthOf, weekOf } from '../../rewards/calendar.ts';
import { accountsIn } from '../account-columns.ts';
import type { Tables } from '../tables.ts';
import { ScoreTable } from './score-table.ts';

/** Balances that one query reads: about 1 ms, in which SQLite blocks this thread. */
const scanSize = 5_000;

/** The scores of all members of a community on a calendar day (day number), by what is ranked. */
export type ScoreScan = (board: Board, day: number) => Promise<ScoreTable>;

/**
 * Scans the balances of a community, and yields to other work in between. Indexes would avoid the scan, but make every
 * vote twice as expensive, even if nobody uses a leaderboard. A query returns the ids and the scores as two texts, since
 * an object for each row takes ten times as long.
 */
export function createScoreScan(db: Kysely<Tables>, reading: Connection, communityId: CommunityId): ScoreScan {
  const { after: prefix } = accountRange(communityId);
  const member = sql<string>`substr(account_id, ${sql.lit(prefix.length + 1)})`;
  const prepare = (board: Board) =>
    preparedQuery<ScanArgs>()((placeholder) => {
      const scores = db
        .selectFrom('balances')
        .select((eb) => [member.as('member'), scoreOf(board, eb, placeholder).as('score')]);
      return db
        .selectFrom(accountsIn(scores, communityId, placeholder('after')).limit(scanSize).as('slice'))
        .select([
          sql<string | null>`string_agg(member, ',')`.as('ids'),
          sql<string | null>`string_agg(cast(score as text), ',')`.as('scores'),
        ]);
    });
  const prepared = new Map<string, ReturnType<typeof prepare>>();

  return async (board, day) => {
    const key = `${board.period} ${board.by}`;
    const select = prepared.get(key) ?? prepare(board);
    prepared.set(key, select);
    const table = new ScoreTable();
    const periods = { week: weekOf(day), month: monthOf(day), day };
    for (let after: AccountId | null = prefix; after !== null; await nextTurn()) {
      const [slice] = await select(reading, { after, ...periods });
      const last = slice === undefined ? null : addSlice(table, slice);
      after = last === null ? null : accountIdOf(communityId, last);
    }
    return table;
  };
}

type Periods = Readonly<Record<'week' | 'month' | 'day', number>>;
type ScoreColumn = 'streak_days' | `${'week' | 'month'}_${'votes' | 'credits'}`;
type ScanArgs = Periods & { readonly after: AccountId };

/** The SQL expression of what a board ranks by; 0 if the account has no score of the current period. */
function scoreOf(
  { period, by }: Board,
  eb: ExpressionBuilder<Tables, 'balances'>,
  placeholder: (name: keyof Periods) => number,
) {
  const ifCurrent = (isCurrent: Expression<SqlBool>, score: ScoreColumn) =>
    eb.case().when(isCurrent).then(eb.ref(score)).else(0).end();
  if (by === 'streak') return ifCurrent(eb('streak_last_day', '>=', placeholder('day')), 'streak_days');
  if (period === 'all') return eb.ref(by);
  return ifCurrent(eb(`${period}_start`, '=', placeholder(period)), `${period}_${by}`);
}

/** Only ids of members. One who was forgotten has a pseudonym, which is no Discord ID. */
const onlySnowflakes = /^\d{1,20}(?:,\d{1,20})*$/;

/** Returns the last member of a complete slice; null if none can follow. */
function addSlice(table: ScoreTable, { ids, scores: text }: Record<'ids' | 'scores', string | null>): string | null {
  if (ids === null) return null;
  const scores: number[] = JSON.parse(`[${text}]`);
  if (onlySnowflakes.test(ids)) {
    table.add(ids, scores);
  } else {
    const members = ids.split(',').map((id, index) => ({ id, score: scores[index] ?? 0 }));
    const found = members.filter(({ id }) => isSnowflake(id));
    if (found.length > 0)
      table.add(
        found.map(({ id }) => id).join(','),
        found.map(({ score }) => score),
      );
  }
  return scores.length < scanSize ? null : ids.slice(ids.lastIndexOf(',') + 1);
}
