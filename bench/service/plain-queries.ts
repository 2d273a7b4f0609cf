import type { DatabaseSync } from 'node:sqlite';

/** The statements of the plain handler, which read the rows that the service reads. */
export function plainQueries(database: DatabaseSync) {
  const votes = database.prepare('select sum(votes) as count from vote_counts where listing_id = ?');
  const votesSince = database.prepare(
    'select sum(votes) as count from vote_counts where listing_id = ? and month >= ?',
  );
  const lastVote = database.prepare('select max(voted_at) as at from votes where listing_id = ? and user_id = ?');
  const reviews = database.prepare(
    'select username, rating, comment, created_at from reviews where listing_id = ? order by created_at desc, id desc limit ?',
  );
  const reviewCount = database.prepare('select reviews as count from review_counts where listing_id = ?');
  return {
    listing: database.prepare(
      `select listings.* from keys join listings on listings.id = keys.listing_id
      where keys.hash = ? and keys.revoked_at is null`,
    ),
    votes: (listingId: string) => Number(votes.get(listingId)?.['count'] ?? 0),
    votesSince: (listingId: string, month: number) => Number(votesSince.get(listingId, month)?.['count']),
    lastVote: (listingId: string, userId: string) => (lastVote.get(listingId, userId)?.['at'] as number | null) ?? null,
    reviews: (listingId: string, limit: number) => reviews.all(listingId, limit),
    reviewCount: (listingId: string) => Number(reviewCount.get(listingId)?.['count'] ?? 0),
  };
}
