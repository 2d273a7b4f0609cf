import { setImmediate as nextTurn } from 'node:timers/promises';
import { preparedQuery } from '@tallyhook/platform/database/prepared-query';
import { type Kysely, sql } from 'kysely';
import { type AccountId, accountIdOf, type CommunityId } from '../../ledger/account.ts';
import { weekOf } from '../../rewards/calendar.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { literal } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Members who have voted in a week; `newcomers` had no counted vote before it. */
export interface WeekVoters {
  readonly all: number;
  readonly newcomers: number;
}

/** @param day a day of the week (day number) */
export type CountVoters = (communityId: CommunityId, day: number) => Promise<WeekVoters>;

/** Accounts that are read at once, so that a large community delays nobody. */
const sliceSize = 5_000;

/** Counts the voters of a week by the scores of accounts. Rejects with the driver's error. */
export function sqlVoters(db: Kysely<Tables>, { reading }: Pick<Dialect, 'reading'>): CountVoters {
  const readSlice = preparedQuery<{ after: AccountId; end: AccountId; week: number }>()((placeholder) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('balances')
          .select(['account_id', 'week_start', 'week_votes', 'votes'])
          .where('account_id', '>', placeholder('after'))
          .where('account_id', '<', placeholder('end'))
          .orderBy('account_id')
          .limit(literal(sliceSize))
          .as('slice'),
      )
      .select(({ fn, ref }) => {
        const voted = sql`${ref('week_votes')} > 0 and ${ref('week_start')} = cast(${placeholder('week')} as bigint)`;
        const count = (condition: typeof voted) => sql<number>`count(case when ${condition} then 1 end)`;
        return [
          fn.max('account_id').$castTo<AccountId | null>().as('last'),
          count(voted).as('voted'),
          count(sql`${voted} and ${ref('votes')} = ${ref('week_votes')}`).as('newcomers'),
        ];
      }),
  );

  return async (communityId, day) => {
    // Discord ids are digits, and a pseudonym begins with a letter, which is greater than this.
    const [first, end] = [accountIdOf(communityId, ''), accountIdOf(communityId, ':')];
    const counted = { all: 0, newcomers: 0 };
    for (let after = first; ; await nextTurn()) {
      const [slice] = await readSlice(reading, { after, end, week: weekOf(day) });
      if (slice === undefined || slice.last === null) return counted;
      counted.all += Number(slice.voted);
      counted.newcomers += Number(slice.newcomers);
      after = slice.last;
    }
  };
}
