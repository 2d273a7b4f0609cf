import { type LastVotes, lastVoteIn } from '../../core/ledger/account.ts';
import { run } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';

/** A member's next vote as a site stated it, after a vote of `votedAt` (ms since the epoch). */
export interface StatedNextVote {
  readonly listing: string;
  readonly votedAt: number;
  readonly nextVoteAt: number;
}

/** A server or bot, by the names of its listings, and how long a vote for it blocks the next one (ms). */
interface VoteTarget {
  readonly names: readonly string[];
  readonly cooldownMs: number;
}

/**
 * The last vote for a target (ms since the epoch), and when the next one is due: when the site has said, otherwise
 * after the cooldown. Null without a vote.
 */
export function nextVoteFor(
  { names, cooldownMs }: VoteTarget,
  lastVotes: LastVotes,
  stated: readonly StatedNextVote[],
): { readonly at: number; readonly nextVoteAt: number } | null {
  const at = lastVoteIn(lastVotes, names);
  if (at === null) return null;
  const own = stated.find(({ listing, votedAt }) => votedAt === at && names.includes(listing));
  return { at, nextVoteAt: own?.nextVoteAt ?? at + cooldownMs };
}

export interface NextVoteTables {
  /**
   * When a member may vote again, as the delivery of the vote has said. Without a row, or with one of an earlier vote, the
   * cooldown of the listing decides.
   */
  next_votes: { user_id: string; listing: string; voted_at: number; next_at: number };
}

export type NextVoteSql = Sql<NextVoteTables>;

export const reads = { ofMember, lastVoteFor };

/** The next votes of a member at listings whose sites say them; a later vote may not have said it. */
async function ofMember({ db, connection }: NextVoteSql, userId: string): Promise<readonly StatedNextVote[]> {
  const columns = ['listing', 'voted_at as votedAt', 'next_at as nextVoteAt'] as const;
  return run(connection, db.selectFrom('next_votes').select(columns).where('user_id', '=', userId));
}

/** {@link nextVoteFor}, with what the sites have said to the member. */
export async function lastVoteFor(
  sql: Sql,
  { userId, lastVotes }: { readonly userId: string; readonly lastVotes: LastVotes },
  target: Parameters<typeof nextVoteFor>[0],
): Promise<ReturnType<typeof nextVoteFor>> {
  return lastVoteIn(lastVotes, target.names) === null
    ? null
    : nextVoteFor(target, lastVotes, await ofMember(sql, userId));
}

export const writes = {};

export type NextVoteStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
