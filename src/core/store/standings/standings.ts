import type { Clock } from '@tallyhook/platform/clock';
import type { Connection } from '@tallyhook/platform/database/dialect';
import { preparedQuery } from '@tallyhook/platform/database/prepared-query';
import type { Kysely } from 'kysely';
import {
  type AccountId,
  accountIdOf,
  type CommunityId,
  type LastVotes,
  type LedgerReads,
  lastVoteIn,
} from '../../ledger/account.ts';
import type { Board, LastingGrant, PeriodTotal, StandingSummary, Standings } from '../../ledger/standing.ts';
import { monthOf, weekOf } from '../../rewards/calendar.ts';
import { calendarOf } from '../../tally/community.ts';
import { withProgramKey } from '../../tally/idempotency-key.ts';
import { parseLastVotes } from '../account-columns.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { linkedEntries } from '../linked-entries.ts';
import { literal } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { createLeaderboards, ScoreReader } from './leaderboards.ts';

/** Reads the last votes of an account; null without an account. Rejects with the driver's error. */
type FindLastVotes = (id: AccountId) => Promise<LastVotes | null>;

/** A command asks several times at once for the same account, such as for each name of a listing: it is read once. */
export function createFindLastVotes(db: Kysely<Tables>, reading: Connection): FindLastVotes {
  const findRow = preparedQuery<{ id: AccountId }>()((placeholder) =>
    db.selectFrom('balances').select('last_votes').where('account_id', '=', placeholder('id')),
  );
  const started = new Map<AccountId, Promise<LastVotes | null>>();

  async function read(id: AccountId): Promise<LastVotes | null> {
    const [row] = await findRow(reading, { id });
    return row === undefined ? null : parseLastVotes(row.last_votes);
  }

  return (id) => {
    let votes = started.get(id);
    if (votes === undefined) {
      votes = read(id);
      started.set(id, votes);
      // Nothing else happens before, so that a read never misses a vote that was recorded before it was asked for.
      queueMicrotask(() => started.delete(id));
    }
    return votes;
  };
}

/** The ledger's read port over SQL, by community. */
export function sqlLedger(
  db: Kysely<Tables>,
  reading: Connection,
  findLastVotes: FindLastVotes,
): (communityId: CommunityId) => LedgerReads {
  const findBalance = preparedQuery<{ id: AccountId }>()((placeholder) =>
    db.selectFrom('balances').select(['credits', 'votes']).where('account_id', '=', placeholder('id')),
  );

  return (accounts) => ({
    async account(userId) {
      const [row] = await findBalance(reading, { id: accountIdOf(accounts, userId) });
      return { userId, credits: row?.credits ?? 0, votes: row?.votes ?? 0 };
    },
    async lastVoteAt(userId, listing) {
      const lastVotes = await findLastVotes(accountIdOf(accounts, userId));
      return lastVotes === null ? null : lastVoteIn(lastVotes, listing);
    },
  });
}

/** The board of the rank in a standing. */
const byCredits = { period: 'all', by: 'credits' } as const;
/** Entries of a standing. */
const newestEntries = 5;

const noTotal: PeriodTotal = { votes: 0, credits: 0 };
/** The balance of a member without an account. */
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
  dialect: Pick<Dialect, 'reading' | 'name' | 'dataVersion'>,
  clock: Clock,
  findLastVotes: FindLastVotes,
  communityId: CommunityId,
  timeZone: string,
): Standings {
  const calendar = calendarOf({ timeZone });
  const { reading } = dialect;
  const readerOf = (board: Board) => new ScoreReader(db, dialect, communityId, board);
  const leaderboards = createLeaderboards(readerOf, clock, dialect.dataVersion);
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
    const [above, entries] = await Promise.all([
      credits === 0 && votes === 0 ? null : leaderboards.countAbove(byCredits, credits, today),
      lastEntry === null ? [] : findNewestEntries(reading, { lastEntry }),
    ]);
    return {
      userId,
      credits,
      votes,
      lastVotes: parseLastVotes(balance.last_votes),
      rank: above === null ? null : above + 1,
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

    leaderboard: (query, now) => leaderboards.page(query, calendar.dayAt(now), now),
  };
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
