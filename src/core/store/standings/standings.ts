import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import { second } from '../../../platform/durations.ts';
import { type AccountId, type AccountScope, accountIdOf, homeAccounts } from '../../ledger/account-id.ts';
import type { LastingGrant, PeriodTotal, Standings } from '../../ledger/standing.ts';
import { monthOf, weekOf } from '../../rewards/calendar.ts';
import type { PeriodScore } from '../../rewards/period-scores.ts';
import { type AccountState, emptyAccount } from '../../tally/account-state.ts';
import { calendarOf } from '../../tally/community.ts';
import { type BalanceRow, toAccountState } from '../account-columns.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { homeKey } from '../installation/keys.ts';
import { parseLastVotes } from '../json-columns.ts';
import { linkedEntries } from '../linked-entries.ts';
import { literal, preparedQuery } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { createPageCache } from './leaderboard-pages.ts';
import { createRankings, type Ranking } from './rankings.ts';
import { createScoreScan } from './scan-scores.ts';

/** The board of the rank in a standing. */
const byCredits = { period: 'all', by: 'credits' } as const;
/** Entries of a standing. */
const newestEntries = 5;

/**
 * The standings of the members of a community over SQL.
 * @param accounts which accounts they have
 * @param timeZone IANA name, of the community's calendar
 */
export function sqlStandings(
  db: Kysely<Tables>,
  { reading, dataVersion }: Pick<Dialect, 'reading' | 'dataVersion'>,
  clock: Clock,
  accounts: AccountScope,
  timeZone: string,
): Standings {
  const calendar = calendarOf({ timeZone });
  const rankings = createRankings(createScoreScan(db, reading, accounts), clock, dataVersion);
  const pages = createPageCache();
  const findBalance = preparedQuery<{ id: AccountId }>()((placeholder) =>
    db.selectFrom('balances').selectAll().where('user_id', '=', placeholder('id')),
  );
  const findLastVotes = preparedQuery<{ id: AccountId }>()((placeholder) =>
    db.selectFrom('balances').select('last_votes').where('user_id', '=', placeholder('id')),
  );
  const findGrants = preparedQuery<{ userId: string }>()((placeholder) =>
    db
      .selectFrom('grants')
      .select(['role', 'until'])
      .where('user_id', '=', placeholder('userId'))
      .where(grantedIn(accounts)),
  );

  const findNewestEntries = preparedQuery<{ lastEntry: number }>()((placeholder) =>
    linkedEntries(db, placeholder('lastEntry'))
      .selectFrom('linked')
      .select(['cause', 'credits', 'at', 'reason', 'listing'])
      .limit(literal(newestEntries)),
  );

  async function findAccount(userId: string): Promise<AccountState> {
    const id = accountIdOf(accounts, userId);
    const [row] = await findBalance(reading, { id });
    return row === undefined ? emptyAccount(id) : toAccountState(row as BalanceRow);
  }

  return {
    async standing(userId, now) {
      const today = calendar.dayAt(now);
      const account = await findAccount(userId);
      const { credits, votes, lastVotes, lastEntry, scores } = account;
      const streak = streakOn(account, today);
      return {
        userId,
        credits,
        votes,
        lastVotes,
        rank: credits === 0 && votes === 0 ? null : rankOf(account, await rankings(byCredits, today)),
        streak: { days: streak, endsAt: streak === 0 ? null : calendar.startOf(account.streak.lastDay + 1) },
        week: totalOf(scores.week, weekOf(today)),
        month: totalOf(scores.month, monthOf(today)),
        grants: lastingGrants(await findGrants(reading, { userId }), now),
        entries: lastEntry === null ? [] : await findNewestEntries(reading, { lastEntry }),
      };
    },

    async lastVotes(userId) {
      const [row] = await findLastVotes(reading, { id: accountIdOf(accounts, userId) });
      return row === undefined ? {} : parseLastVotes(row.last_votes);
    },

    async leaderboard(query, now) {
      const ranking = await rankings(query, calendar.dayAt(now));
      const isCurrent = ranking.isUnchanged() || now - ranking.asOf < second;
      return pages(ranking, query, isCurrent);
    },
  };
}

/** The rank by the balance of this moment. The ranking may have been read before the balance changed. */
function rankOf({ userId, credits }: AccountState, ranking: Ranking): number {
  const isAboveItself = (ranking.find(userId)?.score ?? 0) > credits;
  return ranking.countAbove(credits) + 1 - (isAboveItself ? 1 : 0);
}

/** Grants in the guild of the community; at home in whatever guild, as long as there is no other community. */
function grantedIn(accounts: AccountScope) {
  const home = sql<string>`(select value from installation where key = ${literal(homeKey)})`;
  return accounts === homeAccounts
    ? sql<boolean>`guild_id = coalesce(nullif(${home}, ''), guild_id)`
    : sql<boolean>`guild_id = ${accounts}`;
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
