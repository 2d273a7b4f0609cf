import type { Sql } from '../database.ts';

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
