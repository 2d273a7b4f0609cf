import { monthNumber } from '../listing/period.ts';
import type { Sql } from './database.ts';

export interface NewVote {
  readonly listingId: string;
  readonly userId: string;
  readonly votedAt: number;
  /** Why no credits are due for the vote; null if they are. */
  readonly denialReason: string | null;
}

/** Inserts many votes without checking the cooldown. */
export async function insertVotes(sql: Sql, votes: readonly NewVote[]): Promise<void> {
  const batchSize = 500;
  for (let start = 0; start < votes.length; start += batchSize) {
    const rows = votes.slice(start, start + batchSize).map((vote) => ({
      listing_id: vote.listingId,
      user_id: vote.userId,
      voted_at: vote.votedAt,
      denial_reason: vote.denialReason,
    }));
    await sql.insertInto('votes').values(rows).execute();
  }
}

/** The time of the user's last vote for this listing (ms since the epoch), or null. */
export async function lastVoteAt(sql: Sql, listingId: string, userId: string): Promise<number | null> {
  const row = await sql
    .selectFrom('votes')
    .select(({ fn }) => fn.max<number | null>('voted_at').as('at'))
    .where('listing_id', '=', listingId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.at ?? null;
}

/** The number of votes for a listing, in total and in the calendar month of `now` (ms since the epoch) or later. */
export async function countVotes(sql: Sql, listingId: string, now: number): Promise<{ total: number; month: number }> {
  const row = await sql
    .selectFrom('vote_counts')
    .select(({ fn }) => [
      fn.sum<number | null>('votes').as('total'),
      fn.sum<number | null>('votes').filterWhere('month', '>=', monthNumber(now)).as('month'),
    ])
    .where('listing_id', '=', listingId)
    .executeTakeFirst();
  return { total: row?.total ?? 0, month: row?.month ?? 0 };
}

/** The number of votes for a listing in the calendar month of a time (ms since the epoch). */
export async function countVotesOfMonth(sql: Sql, listingId: string, at: number): Promise<number> {
  const row = await sql
    .selectFrom('vote_counts')
    .select(({ fn }) => fn.sum<number | null>('votes').as('votes'))
    .where('listing_id', '=', listingId)
    .where('month', '=', monthNumber(at))
    .executeTakeFirst();
  return row?.votes ?? 0;
}

export interface RecentVote {
  readonly username: string | null;
  readonly votedAt: number;
}

/** The last votes for a listing, newest first. The name is null if it is unknown. */
export function recentVotes(sql: Sql, listingId: string, limit: number): Promise<RecentVote[]> {
  return sql
    .selectFrom('votes')
    .leftJoin('members', 'members.user_id', 'votes.user_id')
    .select(['members.username', 'votes.voted_at as votedAt'])
    .where('votes.listing_id', '=', listingId)
    .orderBy('votes.voted_at', 'desc')
    .orderBy('votes.id', 'desc')
    .limit(limit)
    .execute();
}
