import type { Kysely } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import { preparedQuery } from '../../../platform/database/prepared-query.ts';
import { second } from '../../../platform/durations.ts';
import { type AccountId, accountIdOf, type CommunityId } from '../../ledger/account.ts';
import type { LastingGrant, PeriodTotal, StandingSummary, Standings } from '../../ledger/standing.ts';
import { monthOf, weekOf } from '../../rewards/calendar.ts';
import { calendarOf } from '../../tally/community.ts';
import { withProgramKey } from '../../tally/ledger-keys.ts';
import { parseLastVotes } from '../account-columns.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { linkedEntries } from '../linked-entries.ts';
import { literal } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import type { FindLastVotes } from './ledger.ts';
import { createPageCache, createRankings, type Ranking } from './rankings.ts';
import { createScoreScan } from './scan-scores.ts';

/** The board of the rank in a standing. */
const byCredits = { period: 'all', by: 'credits' } as const;
/** Entries of a standing. */
const newestEntries = 5;

const noTotal: PeriodTotal = { votes: 0, credits: 0 };
/** Of a member without an account. */
const noBalance = {
  ...{ credits: 0, votes: 0, last_votes: '{}', last_entry: null, streak_days: 0, streak_last_day: 0 },
  ...{ week_start: 0, week_votes: 0, week_credits: 0, month_start: 0, month_votes: 0, month_credits: 0 },
};

/**
 * The standings of the members of a community over SQL.
 * @param communityId which accounts they have
 * @param timeZone IANA name, of the community's calendar
 */
export function sqlStandings(
  db: Kysely<Tables>,
  { reading, dataVersion }: Pick<Dialect, 'reading' | 'dataVersion'>,
  clock: Clock,
  findLastVotes: FindLastVotes,
  communityId: CommunityId,
  timeZone: string,
): Standings {
  const calendar = calendarOf({ timeZone });
  const rankings = createRankings(createScoreScan(db, reading, communityId), clock, dataVersion);
  const pages = createPageCache();
  const findBalance = preparedQuery<{ id: AccountId }>()((placeholder) =>
    db
      .selectFrom('balances')
      .select(['credits', 'votes', 'last_votes', 'last_entry', 'streak_days', 'streak_last_day'])
      .select(['week_start', 'week_votes', 'week_credits', 'month_start', 'month_votes', 'month_credits'])
      .where('account_id', '=', placeholder('id')),
  );
  const findGrants = preparedQuery<{ userId: string }>()((placeholder) =>
    db
      .selectFrom('grants')
      .select(['role', 'until'])
      .where('user_id', '=', placeholder('userId'))
      .where('guild_id', '=', guildOf(db, communityId)),
  );

  const findNewestEntries = preparedQuery<{ lastEntry: number }>()((placeholder) =>
    linkedEntries(db, placeholder('lastEntry'))
      .selectFrom('linked')
      .select(['cause', 'credits', 'at', 'reason', 'listing', 'achievement'])
      .limit(literal(newestEntries)),
  );

  async function summary(userId: string, now: number): Promise<StandingSummary> {
    const today = calendar.dayAt(now);
    const [balance = noBalance] = await findBalance(reading, { id: accountIdOf(communityId, userId) });
    const { credits, votes, last_entry: lastEntry, week_votes, week_credits, month_votes, month_credits } = balance;
    const streak = today <= balance.streak_last_day ? balance.streak_days : 0;
    const [rank, entries] = await Promise.all([
      credits === 0 && votes === 0 ? null : rankings(byCredits, today).then((found) => rankOf(userId, credits, found)),
      lastEntry === null ? [] : findNewestEntries(reading, { lastEntry }),
    ]);
    return {
      userId,
      credits,
      votes,
      lastVotes: parseLastVotes(balance.last_votes),
      rank,
      streak: { days: streak, endsAt: streak === 0 ? null : calendar.startOf(balance.streak_last_day + 1) },
      week: balance.week_start === weekOf(today) ? { votes: week_votes, credits: week_credits } : noTotal,
      month: balance.month_start === monthOf(today) ? { votes: month_votes, credits: month_credits } : noTotal,
      entries: entries.map((entry) => withProgramKey(entry)),
    };
  }

  return {
    summary,
    async standing(userId, now) {
      const [account, grants] = await Promise.all([summary(userId, now), findGrants(reading, { userId })]);
      return { ...account, grants: lastingGrants(grants, now) };
    },
    lastVotes: async (userId) => (await findLastVotes(accountIdOf(communityId, userId))) ?? {},

    async leaderboard(query, now) {
      const ranking = await rankings(query, calendar.dayAt(now));
      const isCurrent = ranking.isUnchanged() || now - ranking.asOf < second;
      return pages(ranking, query, isCurrent);
    },
  };
}

/** The rank by the balance of this moment. The ranking may have been read before the balance changed. */
function rankOf(userId: string, credits: number, ranking: Ranking): number {
  const isAboveItself = (ranking.find(userId)?.score ?? 0) > credits;
  return ranking.countAbove(credits) + 1 - (isAboveItself ? 1 : 0);
}

/** The guild of a community. Before it is known, no roles are given. */
function guildOf(db: Kysely<Tables>, communityId: CommunityId) {
  const guild = db.selectFrom('communities').select('guild_id').where('id', '=', literal(communityId));
  return guild.$castTo<{ guild_id: string }>().$asScalar();
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
