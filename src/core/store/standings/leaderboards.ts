import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import type { Board, LeaderboardPage, LeaderboardQuery, RankedMember } from '../../ledger/standing.ts';
import type { ScoreReader } from './read-scores.ts';
import { type ScoreCounts, scoreCounts } from './score-counts.ts';

/** A community with at most so many accounts never sees old data: reading them takes a few ms. */
const maxAlwaysFresh = 2_000;
/** How long what was read of a larger community is used (ms). */
const reuseMs = 5 * second;
/** Pages of a ranking that are kept, so that each is read and rendered once. */
const maxPages = 1_000;

type Counted = Awaited<ReturnType<ScoreReader['count']>>;

/** The scores of a leaderboard on a calendar day (day number), counted once, and the pages that were read since. */
interface Ranking {
  readonly day: number;
  /** When reading began (ms since the epoch). */
  readonly asOf: number;
  readonly reader: ScoreReader;
  readonly counts: Promise<ScoreCounts & Pick<Counted, 'ends'>>;
  readonly pages: BoundedMap<Promise<LeaderboardPage>>;
  /** The members of each page, by its limit and offset: the same for everyone who opens it. */
  readonly members: BoundedMap<Promise<readonly RankedMember[]>>;
  isUsable(): boolean;
  /** Whether the scores are still the same, as far as that is known. */
  isUnchanged(): boolean;
}

/**
 * The leaderboards of a community. What was read of one is used until something changes, and in a large community for
 * five seconds in any case.
 */
export function createLeaderboards(
  readerOf: (board: Board) => ScoreReader,
  clock: Pick<Clock, 'now' | 'monotonic'>,
  dataVersion: (() => number) | null,
) {
  const readers = new Map<string, ScoreReader>();
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

  function rank(reader: ScoreReader, day: number): Ranking {
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

/** What has changed since the scores were counted may be missing. */
async function readMembers({ reader, counts, day }: Ranking, offset: number, limit: number): Promise<RankedMember[]> {
  const { ends, total, countAbove, scoreAt } = await counts;
  if (offset >= total) return [];
  const greatest = scoreAt(offset);
  const least = scoreAt(Math.min(total, offset + limit) - 1);
  const window = { skip: offset - countAbove(greatest), take: limit };
  const found = await reader.members({ least, greatest }, day, ends, window);
  return found.map((member) => ({ ...member, rank: countAbove(member.score) + 1 }));
}

/** What is known of a ranking by a name, or else is read once; again after an error. */
function keep<Value>(known: Map<string, Promise<Value>>, name: string, read: () => Promise<Value>): Promise<Value> {
  const found = known.get(name);
  if (found !== undefined) return found;
  const reading = read();
  known.set(name, reading);
  reading.catch(() => known.delete(name));
  return reading;
}
