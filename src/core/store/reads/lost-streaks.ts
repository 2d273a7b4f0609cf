import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { memberOf } from '../../ledger/account-id.ts';
import { isPseudonym } from '../../ledger/pseudonym.ts';
import type { LostStreak } from '../../outbox/effect-contents.ts';
import { lostStreak } from '../../rewards/lost-streaks.ts';
import { outageDays } from '../../rewards/outages.ts';
import type { LostStreakQuery } from '../../tally/announcement-store.ts';
import { calendarOf } from '../../tally/community.ts';
import { accountOf } from '../account-columns.ts';
import { parseHistory } from '../history-column.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { type AccountRange, accountRanges, inRange } from './account-ranges.ts';

/** Accounts that one query reads: a few ms, in which SQLite blocks this thread. */
const rowsPerQuery = 2_000;
/** Days of an outage lengthen a streak after the vote that stored its last day; at most this many are expected. */
const maxOutageDays = 30;

/**
 * Scans the accounts of a community, whose streaks are those after the latest vote. What may have ended is decided by
 * the history: the streak may have been lengthened by an outage, and its member may have started a new one since.
 */
export async function findLostStreaks(
  db: Kysely<Tables>,
  reading: Connection,
  { accounts, from, until, minDays, forgive, timeZone }: LostStreakQuery,
): Promise<readonly LostStreak[]> {
  const outages = await run(reading, db.selectFrom('outages').selectAll().orderBy('from_at'));
  const downtimes = outages.map(({ from_at, until_at }) => ({ from: from_at, until: until_at }));
  const context = { forgive, outageDays: outageDays(downtimes, calendarOf({ timeZone })) };
  const found: LostStreak[] = [];
  for (const range of await accountRanges(db, reading, accounts)) await scan(range);
  return found.toSorted((one, other) => other.days - one.days);

  async function scan({ after, before }: AccountRange): Promise<void> {
    for (let last: string | undefined = after; last !== undefined; ) {
      const balances = db.selectFrom('balances').select(['user_id', 'history', 'streak_days', 'streak_last_day']);
      const rows = inRange(balances, accounts, { after: last, before }).limit(literal(rowsPerQuery));
      const page: readonly Account[] = await run(reading, rows);
      for (const account of page) check(account);
      last = page.length < rowsPerQuery ? undefined : page.at(-1)?.user_id;
      await nextTurn();
    }
  }

  function check({ user_id, history, streak_days: days, streak_last_day: lastDay }: Account): void {
    const userId = memberOf(accountOf({ user_id }));
    const isOver = days >= minDays && lastDay < until && lastDay >= from - maxOutageDays;
    const isNew = days <= until - from + 1 && lastDay >= until;
    if (history === null || (!isOver && !isNew) || isPseudonym(userId)) return;
    const lost = lostStreak(parseHistory(history), { from, until }, context);
    if (lost >= minDays) found.push({ userId, days: lost });
  }
}

type Account = Pick<Tables['balances'], 'user_id' | 'history'> & {
  readonly streak_days: number;
  readonly streak_last_day: number;
};
