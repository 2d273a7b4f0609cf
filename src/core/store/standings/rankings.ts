import { BoundedMap } from '../../../platform/bounded-map.ts';
import type { Clock } from '../../../platform/clock.ts';
import { memoizeOne } from '../../../platform/memoize.ts';
import type { Board, LeaderboardPage, LeaderboardQuery } from '../../ledger/standing.ts';
import { type RankedBoard, rankBoard } from './ranked-board.ts';
import { createRankingCache, type Scan } from './ranking-cache.ts';
import type { ScoreScan } from './scan-scores.ts';

/** A leaderboard of one calendar day. */
export interface Ranking extends RankedBoard, Scan {
  /** When the scores were read (ms since the epoch). */
  readonly asOf: number;
}

/**
 * Ranks the scores of a scan: returns the current ranking of a board on a calendar day (day number). Each board has a scan
 * of its own: few are in use, and all scores would take longer.
 */
export function createRankings(
  scan: ScoreScan,
  clock: Pick<Clock, 'now' | 'monotonic'>,
  dataVersion: (() => number) | null,
): (board: Board, day: number) => Promise<Ranking> {
  async function rank(board: Board, day: number): Promise<Ranking> {
    const asOf = clock.now();
    const version = dataVersion?.();
    const table = await scan(board, day);
    const isUnchanged = () => version !== undefined && version === dataVersion?.();
    return { ...(await rankBoard(table)), size: table.size, day, asOf, isUnchanged };
  }

  const caches = new Map<string, (day: number) => Promise<Ranking>>();
  return (board, day) => {
    // A streak is the current one, whatever the period.
    const name = board.by === 'streak' ? board.by : `${board.period} ${board.by}`;
    const cache = caches.get(name) ?? createRankingCache((today) => rank(board, today), clock);
    caches.set(name, cache);
    return cache(day);
  };
}

/** Pages of a ranking that are kept, so that each is rendered once. */
const maxPages = 1_000;

/** Reads pages of rankings. A page is the same object while its ranking is in use. */
export function createPageCache(): (ranking: Ranking, query: LeaderboardQuery, isCurrent: boolean) => LeaderboardPage {
  const pagesOf = memoizeOne((_ranking: Ranking) => new BoundedMap<LeaderboardPage>(maxPages));
  return (ranking, query, isCurrent) => {
    const pages = pagesOf(ranking);
    const { period, by, limit, offset, userId } = query;
    const key = [period, by, limit, offset, userId, isCurrent].join(' ');
    const page = pages.get(key) ?? readPage(ranking, query, isCurrent);
    pages.set(key, page);
    return page;
  };
}

function readPage(
  ranking: Ranking,
  { userId, limit, offset: requested, ...board }: LeaderboardQuery,
  isCurrent: boolean,
): LeaderboardPage {
  const found = userId === null ? null : ranking.find(userId);
  const ownOffset = found === null ? 0 : found.place - (found.place % limit);
  const offset = requested === 'own' ? ownOffset : requested;
  const members = ranking.members(offset, limit);
  const last = members.at(-1);
  return {
    board,
    userId,
    members,
    moreTied: last === undefined ? 0 : ranking.countFrom(last.score) - offset - members.length,
    offset,
    total: ranking.total,
    sum: ranking.sum,
    own: found && { userId: found.userId, score: found.score, rank: found.rank },
    asOf: ranking.asOf,
    isCurrent,
  };
}
