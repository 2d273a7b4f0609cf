import type { Sql } from '../database.ts';
import type { ReviewReply } from './review-replies.ts';
import type { ReviewOrder, StoredReview } from './reviews.ts';

/** A review as the pages show it. */
export interface PageReview extends StoredReview {
  readonly id: number;
  readonly userId: string;
  readonly reply: ReviewReply | null;
}

export interface ReviewSelection {
  readonly order: ReviewOrder;
  readonly limit: number;
  readonly offset: number;
  /** Only those without a reply. */
  readonly unanswered?: boolean;
}

/** Reviews of a listing with the owner's replies. Reviews with equal ratings are sorted newest first. */
export async function findReviews(sql: Sql, listingId: string, selection: ReviewSelection): Promise<PageReview[]> {
  const { order, limit, offset, unanswered = false } = selection;
  let query = withReplies(sql).where('reviews.listing_id', '=', listingId);
  if (unanswered) query = query.where('review_replies.review_id', 'is', null);
  if (order !== 'newest') query = query.orderBy('reviews.rating', order === 'highest' ? 'desc' : 'asc');
  const rows = await query
    .orderBy('reviews.created_at', 'desc')
    .orderBy('reviews.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(toPageReview);
}

/** The reviews of a listing before one of them, newest first; without `before`, from the newest on. */
export async function reviewsBefore(
  sql: Sql,
  listingId: string,
  { before, limit }: { readonly before: Pick<PageReview, 'createdAt' | 'id'> | undefined; readonly limit: number },
): Promise<PageReview[]> {
  let query = withReplies(sql).where('reviews.listing_id', '=', listingId);
  if (before !== undefined) {
    const { createdAt, id } = before;
    query = query
      .where('reviews.created_at', '<=', createdAt)
      .where((row) => row.or([row('reviews.created_at', '<', createdAt), row('reviews.id', '<', id)]));
  }
  const rows = await query.orderBy('reviews.created_at', 'desc').orderBy('reviews.id', 'desc').limit(limit).execute();
  return rows.map(toPageReview);
}

/** The review of a member, if there is one. */
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

function toPageReview({ reply, replied_at: repliedAt, ...review }: ReviewRow): PageReview {
  return { ...review, reply: reply === null || repliedAt === null ? null : { text: reply, repliedAt } };
}
