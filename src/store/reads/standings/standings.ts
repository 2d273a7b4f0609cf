import type { Kysely } from 'kysely';
import type { LastingGrant, PeriodTotal, Standing, Standings } from '../../../ledger/standing.ts';
import type { Clock } from '../../../platform/clock.ts';
import { monthOf, weekOf } from '../../../rewards/calendar.ts';
import type { PeriodScore } from '../../../rewards/period-scores.ts';
import { type AccountState, emptyAccount } from '../../../tally/account-state.ts';
import { calendarOf } from '../../../tally/community.ts';
import type { Connection } from '../../dialect/dialect.ts';
import { parseLastVotes } from '../../json-columns.ts';
import { linkedEntries } from '../../linked-entries.ts';
import { preparedQuery, run } from '../../query-builder.ts';
import { type BalanceRow, toAccountState } from '../../recording/queries.ts';
import type { Tables } from '../../tables.ts';
import { createRankings, type Rankings } from './rankings.ts';
import { createScoreScan } from './scan-scores.ts';

/** Entries of a standing. */
const newestEntries = 5;

/** The standings of the members of a community over SQL. @param timeZone IANA name, of the community's calendar */
export function sqlStandings(db: Kysely<Tables>, reading: Connection, clock: Clock, timeZone: string): Standings {
  const calendar = calendarOf({ timeZone });
  const rankings = createRankings(createScoreScan(db, reading), clock);
  const findBalance = preparedQuery<{ userId: string }>()((placeholder) =>
    db.selectFrom('balances').selectAll().where('user_id', '=', placeholder('userId')),
  );
  const findLastVotes = preparedQuery<{ userId: string }>()((placeholder) =>
    db.selectFrom('balances').select('last_votes').where('user_id', '=', placeholder('userId')),
  );
  const findGrants = preparedQuery<{ userId: string }>()((placeholder) =>
    db.selectFrom('grants').select(['role', 'until']).where('user_id', '=', placeholder('userId')),
  );

  async function findAccount(userId: string): Promise<AccountState> {
    const [row] = await findBalance(reading, { userId });
    return row === undefined ? emptyAccount(userId) : toAccountState(row as BalanceRow);
  }

  return {
    async standing(userId, now) {
      const today = calendar.dayAt(now);
      const account = await findAccount(userId);
      const { credits, votes, lastVotes, lastEntry, scores } = account;
      const streak = streakOn(account, today);
      return {
        ...{ userId, credits, votes, lastVotes },
        rank: credits === 0 && votes === 0 ? null : await rankOf(account, await rankings(today)),
        streak: { days: streak, endsAt: streak === 0 ? null : calendar.startOf(account.streak.lastDay + 1) },
        week: totalOf(scores.week, weekOf(today)),
        month: totalOf(scores.month, monthOf(today)),
        grants: lastingGrants(await findGrants(reading, { userId }), now),
        entries: lastEntry === null ? [] : await findNewestEntries(lastEntry),
      };
    },

    async lastVotes(userId) {
      const [row] = await findLastVotes(reading, { userId });
      return row === undefined ? {} : parseLastVotes(row.last_votes);
    },

    async leaderboard({ userId, limit, offset: requested, ...board }, now) {
      const current = await rankings(calendar.dayAt(now));
      const ranked = await current.board(board);
      const found = userId === null ? null : ranked.find(userId);
      const ownOffset = found === null ? 0 : found.place - (found.place % limit);
      const offset = requested === 'own' ? ownOffset : requested;
      return {
        members: ranked.members(offset, limit),
        offset,
        total: ranked.total,
        own: found && { userId: found.userId, score: found.score, rank: found.rank },
        asOf: current.asOf,
      };
    },
  };

  async function findNewestEntries(lastEntry: number): Promise<Standing['entries']> {
    const entries = linkedEntries(db, lastEntry).selectFrom('linked');
    return run(reading, entries.select(['cause', 'credits', 'at', 'reason', 'listing']).limit(newestEntries));
  }
}

/** The rank by the balance of this moment. The ranking may have been read before the balance changed. */
async function rankOf({ userId, credits }: AccountState, rankings: Rankings): Promise<number> {
  const board = await rankings.board({ period: 'all', by: 'credits' });
  const isAboveItself = (board.find(userId)?.score ?? 0) > credits;
  return board.countAbove(credits) + 1 - (isAboveItself ? 1 : 0);
}

function streakOn({ streak }: AccountState, today: number): number {
  return today <= streak.lastDay ? streak.days : 0;
}

function totalOf({ start, votes, credits }: PeriodScore, currentStart: number): PeriodTotal {
  return start === currentStart ? { votes, credits } : { votes: 0, credits: 0 };
}

/** A role lasts as long as any of its grants. */
function lastingGrants(
  grants: readonly Pick<Tables['grants'], 'role' | 'until'>[],
  now: number,
): readonly LastingGrant[] {
  const ends = new Map<string, number | null>();
  for (const { role, until } of grants) {
    if (until !== null && until <= now) continue;
    const end = ends.get(role);
    ends.set(role, end === null || until === null ? null : Math.max(end ?? until, until));
  }
  return [...ends].map(([role, until]) => ({ role, until })).sort((a, b) => (a.role < b.role ? -1 : 1));
}
