import { type LastVotes, lastVoteIn } from '../../core/ledger/account.ts';
import { run } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import { nextVoteFor, type StatedNextVote } from './next-vote.ts';
import type { NextVoteSql } from './tables.ts';

export const reads = { ofMember, lastVoteFor };

/** Only listings whose sites say it; a later vote may not have said it. */
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
