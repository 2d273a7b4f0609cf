import { setImmediate as nextTurn } from 'node:timers/promises';
import { preparedQuery } from '@tallyhook/platform/database/prepared-query';
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { type AccountId, accountIdOf, type CommunityId } from '../../ledger/account.ts';
import type { Board } from '../../ledger/standing.ts';
import { monthOf, weekOf } from '../../rewards/calendar.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { literal } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Accounts that one query reads. SQLite blocks this thread meanwhile, for 1 to 2 ms; each query to a server is a wait. */
const sliceSizes = { sqlite: 5_000, postgres: 50_000 };

interface ScoreRange {
  readonly least: number;
  readonly greatest: number;
}

interface Window {
  readonly skip: number;
  readonly take: number;
}

export type ScoreReader = ReturnType<typeof createScoreReader>;

/**
 * Reads the scores of one leaderboard from all accounts of a community, in slices with other work in between: an index of
 * scores would make every vote more expensive. Members who were forgotten are left out.
 */
export function createScoreReader(
  db: Kysely<Tables>,
  { reading, name }: Pick<Dialect, 'reading' | 'name'>,
  communityId: CommunityId,
  board: Board,
) {
  const sliceSize = sliceSizes[name];
  const first = accountIdOf(communityId, '');
  // Discord ids are digits, and a pseudonym begins with a letter, which is greater than this.
  const afterIds = accountIdOf(communityId, ':');
  const member = sql<string>`substr(account_id, ${sql.lit(first.length + 1)})`;

  const selectEnd = preparedQuery<{ after: AccountId }>()((placeholder) =>
    db
      .selectFrom('balances')
      .select('account_id')
      .where('account_id', '>', placeholder('after'))
      .where('account_id', '<', literal(afterIds))
      .orderBy('account_id')
      .limit(literal(1))
      .offset(literal(sliceSize - 1)),
  );
  const selectScores = preparedQuery<SliceArgs>()((placeholder) =>
    db
      .selectFrom('balances')
      .select((eb) =>
        sql<string | null>`string_agg(cast(${scoreOf(board, eb, placeholder)} as text), ',')`.as('scores'),
      )
      .where('account_id', '>', placeholder('after'))
      .where('account_id', '<=', placeholder('end')),
  );
  const selectMembers = preparedQuery<SliceArgs & ScoreRange & Window>()((placeholder) => {
    const bound = (name: keyof ScoreRange) => sql<number>`cast(${placeholder(name)} as bigint)`;
    const found = db
      .selectFrom('balances')
      .select((eb) => [member.as('userId'), scoreOf(board, eb, placeholder).as('score')])
      .where('account_id', '>', placeholder('after'))
      .where('account_id', '<=', placeholder('end'))
      .where((eb) => eb.between(scoreOf(board, eb, placeholder), bound('least'), bound('greatest')));
    if (name === 'sqlite') return found.orderBy('account_id');
    return found
      .orderBy('score', 'desc')
      .orderBy(sql`length(account_id)`)
      .orderBy('account_id')
      .limit(placeholder('take'))
      .offset(placeholder('skip'));
  });
  const countEqual = preparedQuery<SliceArgs & { id: AccountId; score: number }>()((placeholder) =>
    db
      .selectFrom('balances')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '>', placeholder('after'))
      .where('account_id', '<=', placeholder('end'))
      .where((eb) => eb(scoreOf(board, eb, placeholder), '=', sql<number>`cast(${placeholder('score')} as bigint)`))
      .where(sql<SqlBool>`(length(account_id), account_id) < (length(${placeholder('id')}), ${placeholder('id')})`),
  );
  const selectScore = preparedQuery<Periods & { id: AccountId }>()((placeholder) =>
    db
      .selectFrom('balances')
      .select((eb) => scoreOf(board, eb, placeholder).as('score'))
      .where('account_id', '=', placeholder('id')),
  );

  return {
    /**
     * How many members have each score on a calendar day (day number), and the last account of each slice in which to
     * look for members. A query returns scores as a text, since an object for each takes several times as long.
     */
    async count(day: number) {
      const counts = new Map<number, number>();
      const ends: AccountId[] = [];
      let size = 0;
      for (let after = first; after !== afterIds; await nextTurn()) {
        const [last] = await selectEnd(reading, { after });
        const end = last?.account_id ?? afterIds;
        const [slice] = await selectScores(reading, { after, end, ...periodsOf(day) });
        const scores: readonly number[] = JSON.parse(`[${slice?.scores ?? ''}]`);
        for (const score of scores) if (score > 0) counts.set(score, (counts.get(score) ?? 0) + 1);
        size += scores.length;
        ends.push(end);
        after = end;
      }
      // A server finds the few members of a page in one parallel scan, several times as fast.
      return { counts, ends: name === 'sqlite' ? ends : [afterIds], size };
    },
    /**
     * The members with a score of the range, in the order of the leaderboard: of equals the older account is first.
     * @param ends the last account of each slice, as counted
     * @param window how many of them to skip, and how many to return then
     */
    async members(range: ScoreRange, day: number, ends: readonly AccountId[], window: Window) {
      /** By score and by the length of the id: of two Discord ids, the shorter one is older, or else the lesser text. */
      const found = new Map<number, { readonly userId: string; readonly score: number }[][]>();
      let after = first;
      for (const end of ends) {
        for (const row of await selectMembers(reading, { after, end, ...range, ...window, ...periodsOf(day) })) {
          const byLength = found.get(row.score) ?? [];
          if (byLength.length === 0) found.set(row.score, byLength);
          byLength[row.userId.length] ??= [];
          byLength[row.userId.length]?.push(row);
        }
        after = end;
        await nextTurn();
      }
      const members = [...found].sort(([a], [b]) => b - a).flatMap(([, byLength]) => byLength.flat());
      return name === 'sqlite' ? members.slice(window.skip, window.skip + window.take) : members;
    },
    /** How many members with the same score come before this one. */
    async countEqualBefore(userId: string, score: number, day: number, ends: readonly AccountId[]): Promise<number> {
      const id = accountIdOf(communityId, userId);
      let before = 0;
      let after = first;
      for (const end of ends) {
        const [counted] = await countEqual(reading, { after, end, id, score, ...periodsOf(day) });
        before += Number(counted?.count ?? 0);
        after = end;
        await nextTurn();
      }
      return before;
    },
    /** The score of a member at this moment; 0 for none. */
    async scoreOf(userId: string, day: number): Promise<number> {
      const [found] = await selectScore(reading, { id: accountIdOf(communityId, userId), ...periodsOf(day) });
      return Math.max(0, found?.score ?? 0);
    },
  };
}

type Periods = Readonly<Record<'week' | 'month' | 'day', number>>;
type ScoreColumn = 'streak_days' | `${'week' | 'month'}_${'votes' | 'credits'}`;
type SliceArgs = Periods & { readonly after: AccountId; readonly end: AccountId };

function periodsOf(day: number): Periods {
  return { week: weekOf(day), month: monthOf(day), day };
}

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
