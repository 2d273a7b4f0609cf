import type { Sql } from '../database.ts';

export const reviewOrders = ['newest', 'highest', 'lowest'] as const;
export type ReviewOrder = (typeof reviewOrders)[number];

export interface StoredReview {
  readonly username: string;
  /** 1 to 5 stars. */
  readonly rating: number;
  readonly comment: string;
  readonly createdAt: number;
}

/** Stores the review of a user. A user has one review per listing; a second replaces the first. */
export async function upsertReview(
  sql: Sql,
  review: StoredReview & { listingId: string; userId: string },
): Promise<void> {
  const values = {
    username: review.username,
    rating: review.rating,
    comment: review.comment,
    created_at: review.createdAt,
  };
  await sql
    .insertInto('reviews')
    .values({ listing_id: review.listingId, user_id: review.userId, ...values })
    .onConflict((conflict) => conflict.columns(['listing_id', 'user_id']).doUpdateSet(values))
    .execute();
}

/** Deletes the review of a member with its reply; false if there is none. */
export async function deleteReviewBy(sql: Sql, listingId: string, userId: string): Promise<boolean> {
  const review = await sql
    .deleteFrom('reviews')
    .where('listing_id', '=', listingId)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  if (review === undefined) return false;
  await sql.deleteFrom('review_replies').where('review_id', '=', review.id).execute();
  return true;
}

/**
 * The first `limit` reviews in this order. Reviews with equal ratings are sorted newest first. The parameters of the
 * query are the listing and the limit, in this order.
 */
export function reviewsInOrder(sql: Sql, listingId: string, order: ReviewOrder, limit: number) {
  const all = sql
    .selectFrom('reviews')
    .select(['username', 'rating', 'comment', 'created_at as createdAt'])
    .where('listing_id', '=', listingId);
  const ordered =
    order === 'newest' ? all : order === 'highest' ? all.orderBy('rating', 'desc') : all.orderBy('rating', 'asc');
  return ordered.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit);
}

/** The number of reviews of a listing and their mean rating (null if there are none). */
export async function countReviews(sql: Sql, listingId: string): Promise<{ total: number; rating: number | null }> {
  const row = await sql.selectFrom('review_counts').selectAll().where('listing_id', '=', listingId).executeTakeFirst();
  const total = row?.reviews ?? 0;
  return { total, rating: row === undefined || total === 0 ? null : row.rating_sum / total };
}
