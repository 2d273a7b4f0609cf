import { BoundedMap } from '../../../platform/bounded-map.ts';
import type { LeaderboardPage, LeaderboardQuery } from '../../ledger/standing.ts';
import type { Rankings } from './rankings.ts';

/** Pages of the current rankings that are kept, so that each is rendered once. */
const maxPages = 1_000;

/** Reads pages of rankings. A page is the same object while the rankings are in use. */
export function createPageCache(): (
  rankings: Rankings,
  query: LeaderboardQuery,
  isCurrent: boolean,
) => Promise<LeaderboardPage> {
  let pages = new BoundedMap<Promise<LeaderboardPage>>(maxPages);
  let pagesOf: Rankings | undefined;
  return (rankings, query, isCurrent) => {
    if (rankings !== pagesOf) {
      pages = new BoundedMap(maxPages);
      pagesOf = rankings;
    }
    const { period, by, limit, offset, userId } = query;
    const key = [period, by, limit, offset, userId, isCurrent].join(' ');
    const page = pages.get(key) ?? readPage(rankings, query, isCurrent);
    pages.set(key, page);
    return page;
  };
}

async function readPage(
  rankings: Rankings,
  { userId, limit, offset: requested, ...board }: LeaderboardQuery,
  isCurrent: boolean,
): Promise<LeaderboardPage> {
  const ranked = await rankings.board(board);
  const found = userId === null ? null : ranked.find(userId);
  const ownOffset = found === null ? 0 : found.place - (found.place % limit);
  const offset = requested === 'own' ? ownOffset : requested;
  return {
    board,
    userId,
    members: ranked.members(offset, limit),
    offset,
    total: ranked.total,
    own: found && { userId: found.userId, score: found.score, rank: found.rank },
    asOf: rankings.asOf,
    isCurrent,
  };
}
