import type { Sql } from './database.ts';

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

/** The owner's reply to a review. */
export interface ReviewReply {
  readonly text: string;
  /** ms since the epoch. */
  readonly repliedAt: number;
}

/** Stores the reply to a review, in place of the one before; false if the listing has no review with this id. */
export async function saveReply(
  sql: Sql,
  { listingId, reviewId, text, repliedAt }: ReviewReply & { listingId: string; reviewId: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('review_replies')
    .columns(['review_id', 'listing_id', 'reply', 'replied_at'])
    .expression(
      sql
        .selectFrom('reviews')
        .select((row) => [
          'reviews.id as review_id',
          'reviews.listing_id',
          row.cast<string>(row.val(text), 'text').as('reply'),
          row.cast<number>(row.val(repliedAt), 'bigint').as('replied_at'),
        ])
        .where('reviews.id', '=', reviewId)
        .where('reviews.listing_id', '=', listingId),
    )
    .onConflict((conflict) => conflict.column('review_id').doUpdateSet({ reply: text, replied_at: repliedAt }))
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** False if there is no reply to this review of the listing. */
export async function deleteReply(sql: Sql, listingId: string, reviewId: number): Promise<boolean> {
  const { numDeletedRows } = await sql
    .deleteFrom('review_replies')
    .where('review_id', '=', reviewId)
    .where('listing_id', '=', listingId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** A review as the pages show it. */
export type PageReview = ReturnType<typeof toPageReview>;

export interface ReviewSelection {
  /** The newest first by default. */
  readonly order?: ReviewOrder;
  readonly limit: number;
  readonly offset?: number;
  /** Only those that are older than this one. */
  readonly before?: Pick<PageReview, 'createdAt' | 'id'> | undefined;
  readonly unanswered?: boolean;
}

/** Reviews of a listing with the owner's replies. Reviews with equal ratings are sorted newest first. */
export async function findReviews(sql: Sql, listingId: string, selection: ReviewSelection): Promise<PageReview[]> {
  const { order = 'newest', limit, offset = 0, before, unanswered = false } = selection;
  let query = withReplies(sql).where('reviews.listing_id', '=', listingId);
  if (unanswered) query = query.where('review_replies.review_id', 'is', null);
  if (before !== undefined) {
    const { createdAt, id } = before;
    query = query
      .where('reviews.created_at', '<=', createdAt)
      .where((row) => row.or([row('reviews.created_at', '<', createdAt), row('reviews.id', '<', id)]));
  }
  if (order !== 'newest') query = query.orderBy('reviews.rating', order === 'highest' ? 'desc' : 'asc');
  const rows = await query
    .orderBy('reviews.created_at', 'desc')
    .orderBy('reviews.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(toPageReview);
}

export async function findReviewBy(sql: Sql, listingId: string, userId: string): Promise<PageReview | null> {
  const row = await withReplies(sql)
    .where('reviews.listing_id', '=', listingId)
    .where('reviews.user_id', '=', userId)
    .executeTakeFirst();
  return row ? toPageReview(row) : null;
}

/** One review of a listing; null if it has no review with this id. */
export async function findReview(sql: Sql, listingId: string, reviewId: number): Promise<PageReview | null> {
  const row = await withReplies(sql)
    .where('reviews.id', '=', reviewId)
    .where('reviews.listing_id', '=', listingId)
    .executeTakeFirst();
  return row ? toPageReview(row) : null;
}

function withReplies(sql: Sql) {
  return sql
    .selectFrom('reviews')
    .leftJoin('review_replies', 'review_replies.review_id', 'reviews.id')
    .select(['reviews.id', 'reviews.user_id as userId', 'reviews.username', 'reviews.rating', 'reviews.comment'])
    .select(['reviews.created_at as createdAt', 'review_replies.reply', 'review_replies.replied_at']);
}

type ReviewRow = Awaited<ReturnType<ReturnType<typeof withReplies>['executeTakeFirstOrThrow']>>;

function toPageReview({ reply, replied_at: repliedAt, ...review }: ReviewRow) {
  return { ...review, reply: reply === null || repliedAt === null ? null : { text: reply, repliedAt } };
}
