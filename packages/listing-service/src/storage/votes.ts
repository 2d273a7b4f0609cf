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

/** The query of {@link lastVoteAt}. Its parameters are the listing and the user, in this order. */
export function lastVoteQuery(sql: Sql, listingId: string, userId: string) {
  return sql
    .selectFrom('votes')
    .select(({ fn }) => fn.max<number | null>('voted_at').as('at'))
    .where('listing_id', '=', listingId)
    .where('user_id', '=', userId);
}

/** The time of the user's last vote for this listing (ms since the epoch), or null. */
export async function lastVoteAt(sql: Sql, listingId: string, userId: string): Promise<number | null> {
  return (await lastVoteQuery(sql, listingId, userId).executeTakeFirst())?.at ?? null;
}

/** The calendar month of a time (ms since the epoch) in UTC: 202612. `monthlyVotes` counts from this month. */
export function monthNumber(now: number): number {
  const date = new Date(now);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** The query of {@link countVotes}. Its parameters are the month and the listing, in this order. */
export function voteCountQuery(sql: Sql, month: number, listingId: string) {
  return sql
    .selectFrom('vote_counts')
    .select(({ fn }) => [
      fn.sum<number | null>('votes').filterWhere('month', '>=', month).as('month'),
      fn.sum<number | null>('votes').as('total'),
    ])
    .where('listing_id', '=', listingId);
}

/** The number of votes for a listing, in total and in the calendar month of `now` (ms since the epoch) or later. */
export async function countVotes(sql: Sql, listingId: string, now: number): Promise<{ total: number; month: number }> {
  const row = await voteCountQuery(sql, monthNumber(now), listingId).executeTakeFirst();
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

/**
 * The votes for a listing before one of them, newest first; without `before`, from the newest on. The name of the member
 * is null if it is unknown.
 */
export function votesBefore(
  sql: Sql,
  listingId: string,
  { before, limit }: { readonly before?: { votedAt: number; id: number } | undefined; readonly limit: number },
) {
  let query = sql
    .selectFrom('votes')
    .leftJoin('members', 'members.user_id', 'votes.user_id')
    .select(['votes.id', 'votes.user_id as userId', 'members.username', 'votes.voted_at as votedAt'])
    .select('votes.denial_reason as denialReason')
    .where('votes.listing_id', '=', listingId);
  if (before !== undefined) {
    const { votedAt, id } = before;
    query = query
      .where('votes.voted_at', '<=', votedAt)
      .where((row) => row.or([row('votes.voted_at', '<', votedAt), row('votes.id', '<', id)]));
  }
  return query.orderBy('votes.voted_at', 'desc').orderBy('votes.id', 'desc').limit(limit).execute();
}
