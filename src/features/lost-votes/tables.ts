import type { Sql } from '../../core/store/sql-module.ts';

export interface LostVoteTables {
  /**
   * Since when this database receives the votes of a listing (ms since the epoch). `target` is the server or bot at its
   * site: as another one, the listing begins again.
   */
  listing_beginnings: { listing: string; target: string; since: number };
}

/** The database with the tables of this feature. */
export type LostVoteSql = Sql<LostVoteTables>;
