import type { Database } from '../database.ts';
import { type MaybePromise, mapped } from '../maybe-promise.ts';
import { type ReviewOrder, reviewsInOrder, type StoredReview } from './reviews.ts';

/** The first reviews of a listing in some order. */
export interface ReviewPage {
  /** How many the listing has. */
  readonly total: number;
  /** `createdAt` is ISO 8601 with milliseconds. */
  readonly reviews: readonly (Omit<StoredReview, 'createdAt'> & { readonly createdAt: string })[];
}

/** Pages that are remembered, 10 to 50 reviews each. */
const maxPages = 2_000;

/**
 * Reads pages of reviews with statements that are compiled once. A page is remembered together with the version of the
 * listing's reviews, which is read for each lookup: reading and formatting ten reviews takes longer than anything else.
 */
export function createReviewLookup(
  database: Database,
): (listingId: string, order: ReviewOrder, limit: number) => MaybePromise<ReviewPage> {
  const versionQuery = database
    .selectFrom('review_counts')
    .select(['reviews', 'version'])
    .where('listing_id', '=', '')
    .compile();
  const queries = {
    newest: reviewsInOrder(database, '', 'newest', 0).compile(),
    highest: reviewsInOrder(database, '', 'highest', 0).compile(),
    lowest: reviewsInOrder(database, '', 'lowest', 0).compile(),
  };
  const known = new Map<string, { readonly version: number; readonly page: ReviewPage }>();

  return (listingId, order, limit) =>
    mapped(database.read(versionQuery, [listingId]), ([count]) => {
      if (count === undefined) return { total: 0, reviews: [] };
      const name = `${listingId} ${order} ${limit}`;
      const last = known.get(name);
      if (last?.version === count.version) return last.page;
      return mapped(database.read(queries[order], [listingId, limit]), (rows) => {
        const reviews = rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt).toISOString() }));
        const page = { total: count.reviews, reviews };
        if (known.size >= maxPages) known.clear();
        known.set(name, { version: count.version, page });
        return page;
      });
    });
}
