import { BoundedMap } from '../../../platform/bounded-map.ts';
import { memoizeOne } from '../../../platform/memoize.ts';
import type { LeaderboardPage, LeaderboardQuery } from '../../ledger/standing.ts';
import type { Ranking } from './rankings.ts';

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
  return {
    board,
    userId,
    members: ranking.members(offset, limit),
    offset,
    total: ranking.total,
    sum: ranking.sum,
    own: found && { userId: found.userId, score: found.score, rank: found.rank },
    asOf: ranking.asOf,
    isCurrent,
  };
}
