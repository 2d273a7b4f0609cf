import { run } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';

/** What a site has said of the next vote of a member, with a vote of `votedAt` (ms since the epoch). */
export interface StatedNextVote {
  readonly listing: string;
  readonly votedAt: number;
  readonly nextVoteAt: number;
}

export const reads = {
  /** Only listings whose sites say it; a later vote may not have said it. */
  async ofMember({ db, connection }: Sql, userId: string): Promise<readonly StatedNextVote[]> {
    const columns = ['listing', 'voted_at as votedAt', 'next_at as nextVoteAt'] as const;
    return run(connection, db.selectFrom('next_votes').select(columns).where('user_id', '=', userId));
  },
};

export const writes = {};

export type NextVoteStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
