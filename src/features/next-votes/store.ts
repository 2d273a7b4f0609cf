import { type LastVotes, lastVoteIn } from '../../core/ledger/account.ts';
import { run } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';

/** What a site has said of the next vote of a member, with a vote of `votedAt` (ms since the epoch). */
export interface StatedNextVote {
  readonly listing: string;
  readonly votedAt: number;
  readonly nextVoteAt: number;
}

export const reads = { ofMember };

/** Only listings whose sites say it; a later vote may not have said it. */
async function ofMember({ db, connection }: Sql, userId: string): Promise<readonly StatedNextVote[]> {
  const columns = ['listing', 'voted_at as votedAt', 'next_at as nextVoteAt'] as const;
  return run(connection, db.selectFrom('next_votes').select(columns).where('user_id', '=', userId));
}

/**
 * The last vote for a target (ms since the epoch), and when the next one is due: when the site has said, otherwise
 * after the cooldown. Null without a vote.
 */
export async function lastVoteFor(
  sql: Sql,
  { userId, lastVotes }: { readonly userId: string; readonly lastVotes: LastVotes },
  { names, cooldownMs }: { readonly names: readonly string[]; readonly cooldownMs: number },
): Promise<{ readonly at: number; readonly nextVoteAt: number } | null> {
  const at = lastVoteIn(lastVotes, names);
  if (at === null) return null;
  const stated = await ofMember(sql, userId);
  const own = stated.find(({ listing, votedAt }) => votedAt === at && names.includes(listing));
  return { at, nextVoteAt: own?.nextVoteAt ?? at + cooldownMs };
}

export const writes = {};

export type NextVoteStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
