import type { Board, LeaderboardPage } from '../core/ledger/standing.ts';
import type { OwnerContext } from './context.ts';

/** A page of a leaderboard. */
export interface LeaderboardDetails extends Board, Pick<LeaderboardPage, 'members' | 'total' | 'asOf'> {
  /** How many members this and the earlier pages have: the `before` of the next page. Null on the last page. */
  readonly next: number | null;
}

/** @param guildId null for the home community @param page `before` is how many members to skip; null for the first page */
export async function getLeaderboard(
  { communities, clock }: Pick<OwnerContext, 'communities' | 'clock'>,
  {
    period,
    by,
    guildId,
    ...page
  }: Board & { readonly guildId: string | null; readonly limit: number; readonly before: number | null },
): Promise<LeaderboardDetails> {
  const { standings } = guildId === null ? communities.home : communities.inGuild(guildId);
  const query = { period, by, limit: page.limit, offset: page.before ?? 0, userId: null };
  const { members, offset, total, asOf } = await standings.leaderboard(query, clock.now());
  const end = offset + members.length;
  return { period, by, members, total, asOf, next: end < total ? end : null };
}
