import type { Sql } from '../../core/store/sql-module.ts';

export interface ReviewTables {
  /** The newest reviews of each listing, by a digest of what identifies them (hex); `at` is null if it is not known. */
  announced_reviews: { listing: string; review: string; at: number | null };
}

/** The database with the tables of this feature. */
export type ReviewSql = Sql<ReviewTables>;
