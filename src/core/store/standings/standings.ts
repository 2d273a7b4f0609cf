import { setImmediate as nextTurn } from 'node:timers/promises';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import type { Connection } from '@tallyhook/platform/database/dialect';
import { preparedQuery } from '@tallyhook/platform/database/prepared-query';
import { second } from '@tallyhook/platform/durations';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import {
  type AccountId,
  accountIdOf,
  type CommunityId,
  type LastVotes,
  type LedgerReads,
  lastVoteIn,
} from '../../ledger/account.ts';
import type {
  Board,
  LastingGrant,
  LeaderboardPage,
  LeaderboardQuery,
  PeriodTotal,
  RankedMember,
  StandingSummary,
  Standings,
} from '../../ledger/standing.ts';
import { monthOf, weekOf } from '../../rewards/calendar.ts';
import { calendarOf } from '../../tally/community.ts';
import { withProgramKey } from '../../tally/idempotency-key.ts';
import { linkedEntries, parseLastVotes } from '../account-columns.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { literal } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { isHidden, isShown } from './hidden-members.ts';

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
  ...{ credits: 0, votes: 0, last_votes: '{}', last_entry: null, streak_days: 0, streak_last_day: 0, roles: null },
  ...{ week_start: 0, week_votes: 0, week_credits: 0, month_start: 0, month_votes: 0, month_credits: 0 },
};

/**
 * The standings of the members of a community over SQL.
 * @param communityId which accounts they have
 * @param timeZone IANA name, of the community's calendar
 * @param hiddenRoles Discord IDs: who was last seen with one of them has no place, as if nobody else knew of their account
 */
export function sqlStandings(
  db: Kysely<Tables>,
  dialect: Pick<Dialect, 'reading' | 'name' | 'dataVersion'>,
  clock: Clock,
  findLastVotes: FindLastVotes,
  communityId: CommunityId,
  timeZone: string,
  hiddenRoles: readonly string[] = [],
): Standings {
  const calendar = calendarOf({ timeZone });
  const { reading } = dialect;
  const readerOf = (board: Board) => new ScoreReader(db, dialect, communityId, board, hiddenRoles);
  const leaderboards = createLeaderboards(readerOf, clock, dialect.dataVersion);
  const findBalance = preparedQuery<{ id: AccountId }>()((placeholder) =>
    db
      .selectFrom('balances')
      .select(['credits', 'votes', 'last_votes', 'last_entry', 'streak_days', 'streak_last_day', 'roles'])
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
      (credits === 0 && votes === 0) || isHidden(balance.roles, hiddenRoles)
        ? null
        : leaderboards.countAbove(byCredits, credits, today),
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

/** A community with at most so many accounts never sees old data: reading them takes a few ms. */
const maxAlwaysFresh = 2_000;
/** How long what was read of a larger community is used (ms). */
const reuseMs = 5 * second;
/** Pages of a ranking that are kept, so that each is read and rendered once. */
const maxPages = 1_000;

type Scores = Pick<ScoreReader, 'count' | 'members' | 'countEqualBefore' | 'scoreOf'>;
type Counted = Awaited<ReturnType<ScoreReader['count']>>;

/** The scores of a leaderboard on a calendar day (day number), counted once, and the pages that were read since. */
interface Ranking {
  readonly day: number;
  /** When reading began (ms since the epoch). */
  readonly asOf: number;
  readonly reader: Scores;
  readonly counts: Promise<ScoreCounts & Pick<Counted, 'ends'>>;
  readonly pages: BoundedMap<Promise<LeaderboardPage>>;
  /** The members of each page, by its limit and offset: the same for everyone who opens it. */
  readonly members: BoundedMap<Promise<readonly RankedMember[]>>;
  isUsable(): boolean;
  /** Checks whether the scores are still the same, as far as that is known. */
  isUnchanged(): boolean;
}

/**
 * The leaderboards of a community. What was read of one is used until something changes, and in a large community for
 * five seconds in any case.
 */
export function createLeaderboards(
  readerOf: (board: Board) => Scores,
  clock: Pick<Clock, 'now' | 'monotonic'>,
  dataVersion: (() => number) | null,
) {
  const readers = new Map<string, Scores>();
  const rankings = new Map<string, Ranking>();

  function rankingOf(board: Board, day: number): Ranking {
    // A streak is the current one, whatever the period.
    const name = board.by === 'streak' ? board.by : `${board.period} ${board.by}`;
    const known = rankings.get(name);
    if (known?.day === day && known.isUsable()) return known;
    const reader = readers.get(name) ?? readerOf(board);
    readers.set(name, reader);
    const ranking = rank(reader, day);
    rankings.set(name, ranking);
    ranking.counts.catch(() => rankings.delete(name));
    return ranking;
  }

  function rank(reader: Scores, day: number): Ranking {
    const asOf = clock.now();
    const version = dataVersion?.();
    const isUnchanged = () => version !== undefined && version === dataVersion?.();
    // Who asks before they are read waits for the same scores.
    let usableUntil = Number.POSITIVE_INFINITY;
    const counts = reader.count(day).then((read) => {
      usableUntil = read.size > maxAlwaysFresh ? clock.monotonic() + reuseMs : Number.NEGATIVE_INFINITY;
      return { ...scoreCounts(read.counts), ends: read.ends };
    });
    const isUsable = () => isUnchanged() || clock.monotonic() < usableUntil;
    const pages = {
      pages: new BoundedMap<Promise<LeaderboardPage>>(maxPages),
      members: new BoundedMap<Promise<readonly RankedMember[]>>(maxPages),
    };
    return { day, asOf, reader, counts, ...pages, isUsable, isUnchanged };
  }

  return {
    /** How many members have a greater score on a calendar day (day number). */
    async countAbove(board: Board, score: number, day: number): Promise<number> {
      return (await rankingOf(board, day).counts).countAbove(score);
    },
    /** A page on a calendar day (day number). @param now the current time (ms since the epoch) */
    async page(query: LeaderboardQuery, day: number, now: number): Promise<LeaderboardPage> {
      const ranking = rankingOf(query, day);
      const { period, by, limit, offset, userId } = query;
      const key = [period, by, limit, offset, userId].join(' ');
      const page = await keep(ranking.pages, key, () => readPage(ranking, query));
      return ranking.isUnchanged() || now - page.asOf < second ? page : outdated(page);
    },
  };
}

const outdated = memoizeOne((page: LeaderboardPage): LeaderboardPage => ({ ...page, isCurrent: false }));

async function readPage(ranking: Ranking, query: LeaderboardQuery): Promise<LeaderboardPage> {
  const { userId, limit, offset: requested, ...board } = query;
  const { total, sum, countAbove, countFrom } = await ranking.counts;
  const score = userId === null || !isSnowflake(userId) ? 0 : await ranking.reader.scoreOf(userId, ranking.day);
  const own = userId === null || score === 0 ? null : { userId, score, rank: countAbove(score) + 1 };
  const offset = requested === 'own' ? await ownOffset(ranking, own, limit) : requested;
  const members = await keep(ranking.members, `${limit} ${offset}`, () => readMembers(ranking, offset, limit));
  const last = members.at(-1);
  const moreTied = last === undefined ? 0 : Math.max(0, countFrom(last.score) - offset - members.length);
  return { board, userId, members, moreTied, offset, total, sum, own, asOf: ranking.asOf, isCurrent: true };
}

/** Where the page with a member begins; who else has their score decides which page that is. */
async function ownOffset({ reader, counts, day }: Ranking, own: RankedMember | null, limit: number): Promise<number> {
  if (own === null) return 0;
  const { score, userId } = own;
  const { ends, countAbove, countFrom } = await counts;
  const isTied = countFrom(score) - countAbove(score) > 1;
  const before = isTied ? await reader.countEqualBefore(userId, score, day, ends) : 0;
  const place = countAbove(score) + before;
  return place - (place % limit);
}

/** Reads the members of a page. Changes since the scores were counted may be missing. */
async function readMembers({ reader, counts, day }: Ranking, offset: number, limit: number): Promise<RankedMember[]> {
  const { ends, total, countAbove, scoreAt } = await counts;
  if (offset >= total) return [];
  const greatest = scoreAt(offset);
  const least = scoreAt(Math.min(total, offset + limit) - 1);
  const window = { skip: offset - countAbove(greatest), take: limit };
  const found = await reader.members({ least, greatest }, day, ends, window);
  return found.map((member) => ({ ...member, rank: countAbove(member.score) + 1 }));
}

/** Returns the known value, or reads it once; again after an error. */
function keep<Value>(known: Map<string, Promise<Value>>, name: string, read: () => Promise<Value>): Promise<Value> {
  const found = known.get(name);
  if (found !== undefined) return found;
  const reading = read();
  known.set(name, reading);
  reading.catch(() => known.delete(name));
  return reading;
}

/** How many members have each score of a leaderboard: all that ranks depend on. */
interface ScoreCounts {
  /** How many members have a score. */
  readonly total: number;
  /** All scores together. */
  readonly sum: number;
  /** How many members have a greater score. */
  countAbove(score: number): number;
  /** How many members have this score or a greater one. */
  countFrom(score: number): number;
  /** The score of a place, which is counted from 0 and less than the total. */
  scoreAt(place: number): number;
}

/** @param counts the number of members by score; without an entry for 0 */
export function scoreCounts(counts: ReadonlyMap<number, number>): ScoreCounts {
  const scores = Float64Array.from(counts.keys()).sort().reverse();
  /** By the number of a score, how many members have it or a greater one. */
  const ends = new Float64Array(scores.length);
  let [total, sum] = [0, 0];
  for (const [number, score] of scores.entries()) {
    const count = counts.get(score) ?? 0;
    total += count;
    sum += score * count;
    ends[number] = total;
  }
  const endBefore = (number: number) => ends[number - 1] ?? 0;
  return {
    total,
    sum,
    countAbove: (score) => endBefore(firstOf(scores, (other) => other <= score)),
    countFrom: (score) => endBefore(firstOf(scores, (other) => other < score)),
    scoreAt: (place) => scores[firstOf(ends, (end) => end > place)] ?? 0,
  };
}

/** The index of the first value that fulfils a condition, which all values after it fulfil too. */
function firstOf(values: Float64Array, fulfils: (value: number) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fulfils(values[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Accounts that one query reads. SQLite blocks this thread meanwhile, for 1 to 2 ms; each query to a server is a wait.
 */
const sliceSizes = { sqlite: 5_000, postgres: 50_000 };

interface ScoreRange {
  readonly least: number;
  readonly greatest: number;
}

interface Window {
  readonly skip: number;
  readonly take: number;
}

/**
 * Reads the scores of one leaderboard from all accounts of a community, in slices with other work in between: an index
 * of scores would make every vote more expensive. Members who were forgotten, and hidden ones, are left out.
 */
class ScoreReader {
  readonly #reading: Dialect['reading'];
  readonly #isSqlite: boolean;
  readonly #communityId: CommunityId;
  readonly #first: AccountId;
  /** Discord ids are digits, and a pseudonym begins with a letter, which is greater than this. */
  readonly #afterIds: AccountId;
  readonly #queries: ReturnType<typeof scoreQueries>;

  constructor(
    db: Kysely<Tables>,
    { reading, name }: Pick<Dialect, 'reading' | 'name'>,
    communityId: CommunityId,
    board: Board,
    hiddenRoles: readonly string[],
  ) {
    this.#reading = reading;
    this.#isSqlite = name === 'sqlite';
    this.#communityId = communityId;
    this.#first = accountIdOf(communityId, '');
    this.#afterIds = accountIdOf(communityId, ':');
    this.#queries = scoreQueries(db, name, board, { first: this.#first, afterIds: this.#afterIds, hiddenRoles });
  }

  /**
   * How many members have each score on a calendar day (day number), and the last account of each slice in which to
   * look for members. A query returns scores as a text, since an object for each takes several times as long.
   */
  async count(day: number) {
    const counts = new Map<number, number>();
    const ends: AccountId[] = [];
    let size = 0;
    for (let after = this.#first; after !== this.#afterIds; await nextTurn()) {
      const [last] = await this.#queries.selectEnd(this.#reading, { after });
      const end = last?.account_id ?? this.#afterIds;
      const [slice] = await this.#queries.selectScores(this.#reading, { after, end, ...periodsOf(day) });
      const scores: readonly number[] = JSON.parse(`[${slice?.scores ?? ''}]`);
      for (const score of scores) if (score > 0) counts.set(score, (counts.get(score) ?? 0) + 1);
      size += scores.length;
      ends.push(end);
      after = end;
    }
    // A server finds the few members of a page in one parallel scan, several times as fast.
    return { counts, ends: this.#isSqlite ? ends : [this.#afterIds], size };
  }

  /**
   * The members with a score of the range, in the order of the leaderboard: of equals the older account is first.
   * @param ends the last account of each slice, as counted
   * @param window how many of them to skip, and how many to return then
   */
  async members(range: ScoreRange, day: number, ends: readonly AccountId[], window: Window) {
    /**
     * By score and by the length of the id: of two Discord ids, the shorter one is older, or else the lesser text.
     */
    const found = new Map<number, { readonly userId: string; readonly score: number }[][]>();
    let after = this.#first;
    for (const end of ends) {
      for (const row of await this.#queries.selectMembers(this.#reading, {
        after,
        end,
        ...range,
        ...window,
        ...periodsOf(day),
      })) {
        const byLength = found.get(row.score) ?? [];
        if (byLength.length === 0) found.set(row.score, byLength);
        byLength[row.userId.length] ??= [];
        byLength[row.userId.length]?.push(row);
      }
      after = end;
      await nextTurn();
    }
    const members = [...found].sort(([a], [b]) => b - a).flatMap(([, byLength]) => byLength.flat());
    return this.#isSqlite ? members.slice(window.skip, window.skip + window.take) : members;
  }

  /** How many members with the same score come before this one. */
  async countEqualBefore(userId: string, score: number, day: number, ends: readonly AccountId[]): Promise<number> {
    const id = accountIdOf(this.#communityId, userId);
    let before = 0;
    let after = this.#first;
    for (const end of ends) {
      const [counted] = await this.#queries.countEqual(this.#reading, { after, end, id, score, ...periodsOf(day) });
      before += Number(counted?.count ?? 0);
      after = end;
      await nextTurn();
    }
    return before;
  }

  /** The score of a member at this moment; 0 for none. */
  async scoreOf(userId: string, day: number): Promise<number> {
    const [found] = await this.#queries.selectScore(this.#reading, {
      id: accountIdOf(this.#communityId, userId),
      ...periodsOf(day),
    });
    return Math.max(0, found?.score ?? 0);
  }
}

/** The statements of a leaderboard. @param range of the ids of the accounts: after `first`, and before `afterIds` */
function scoreQueries(
  db: Kysely<Tables>,
  name: Dialect['name'],
  board: Board,
  {
    first,
    afterIds,
    hiddenRoles,
  }: Readonly<Record<'first' | 'afterIds', AccountId>> & { readonly hiddenRoles: readonly string[] },
) {
  const shown = isShown(hiddenRoles);
  const selectShown = () => {
    const all = db.selectFrom('balances');
    return shown === null ? all : all.where(shown);
  };
  const sliceSize = sliceSizes[name];
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
    selectShown()
      .select((eb) =>
        sql<string | null>`string_agg(cast(${scoreOf(board, eb, placeholder)} as text), ',')`.as('scores'),
      )
      .where('account_id', '>', placeholder('after'))
      .where('account_id', '<=', placeholder('end')),
  );
  const selectMembers = preparedQuery<SliceArgs & ScoreRange & Window>()((placeholder) => {
    const bound = (name: keyof ScoreRange) => sql<number>`cast(${placeholder(name)} as bigint)`;
    const found = selectShown()
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
    selectShown()
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '>', placeholder('after'))
      .where('account_id', '<=', placeholder('end'))
      .where((eb) => eb(scoreOf(board, eb, placeholder), '=', sql<number>`cast(${placeholder('score')} as bigint)`))
      .where(sql<SqlBool>`(length(account_id), account_id) < (length(${placeholder('id')}), ${placeholder('id')})`),
  );
  const selectScore = preparedQuery<Periods & { id: AccountId }>()((placeholder) =>
    selectShown()
      .select((eb) => scoreOf(board, eb, placeholder).as('score'))
      .where('account_id', '=', placeholder('id')),
  );
  return { selectEnd, selectScores, selectMembers, countEqual, selectScore };
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
