import { run, upsert } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';

export interface LostVoteTables {
  /**
   * Since when this database receives the votes of a listing (ms since the epoch). `target` is the server or bot at its
   * site: as another one, the listing begins again.
   */
  listing_beginnings: { listing: string; target: string; since: number };
}

export type LostVoteSql = Sql<LostVoteTables>;

export const reads = {};

export const writes = {
  /** The beginning of a listing (ms since the epoch): now, unless it has begun before. */
  async begin(sql: LostVoteSql, listing: string, target: string, now: number): Promise<number> {
    const { db, connection } = sql;
    const stored = db.selectFrom('listing_beginnings').select('since').where('listing', '=', listing);
    const [begun] = await run(connection, stored.where('target', '=', target));
    if (begun !== undefined) return begun.since;
    await upsert(sql, 'listing_beginnings', { listing }, { target, since: now });
    return now;
  },

  /** A listing that is configured no more: if it is again, another program may have paid the votes of in between. */
  async end({ db, connection }: LostVoteSql, listing: string): Promise<void> {
    await run(connection, db.deleteFrom('listing_beginnings').where('listing', '=', listing));
  },
};

export type LostVotesStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
