import type { Sql } from '../../core/store/sql-module.ts';

export interface NextVoteTables {
  /**
   * When a member may vote again, as the delivery of the vote has said. Without a row, or with one of an earlier vote, the
   * cooldown of the listing decides.
   */
  next_votes: { user_id: string; listing: string; voted_at: number; next_at: number };
}

/** The database with the tables of this feature. */
export type NextVoteSql = Sql<NextVoteTables>;
