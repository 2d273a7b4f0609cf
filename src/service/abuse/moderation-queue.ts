import type { Sql } from '../storage/database.ts';
import { findListing } from '../storage/listings/listings.ts';
import { findReviewBy } from '../storage/reviews.ts';
import type { ListingState } from '../storage/tables.ts';
import { openReportsOf, reportedTargets } from './reports.ts';

const maxReportsPerTarget = 5;

/**
 * Something with open reports, as it is now. `reports` are the oldest of `total`. `listing` is null if it was deleted;
 * so is the reported `review`, and for a listing.
 */
export type QueueItem = Awaited<ReturnType<typeof moderationQueue>>['items'][number];

/** A page of the queue, and whether there is another. Most reports first, then the longest waiting. */
export async function moderationQueue(
  sql: Sql,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  const targets = await reportedTargets(sql, { limit: limit + 1, offset });
  const items = await Promise.all(
    targets.slice(0, limit).map(async ({ reports: total, ...target }) => ({
      target,
      total,
      reports: await openReportsOf(sql, target, maxReportsPerTarget),
      listing: await findListing(sql, target.listingId),
      review: target.kind === 'review' ? await findReviewBy(sql, target.listingId, target.reviewUserId) : null,
    })),
  );
  return { items, hasMore: targets.length > limit };
}

/** A listing that is not published. `reason` is why it is hidden; null for a pending one. */
export type UnpublishedListing = Awaited<ReturnType<typeof listingsInState>>[number];

export function listingsInState(sql: Sql, state: Extract<ListingState, 'pending' | 'hidden'>, limit: number) {
  return sql
    .selectFrom('listings')
    .leftJoin('members', 'members.user_id', 'listings.owner_id')
    .select(['id', 'kind', 'name', 'description', 'owner_id as ownerId', 'members.username as ownerName'])
    .select(['state_reason as reason', 'created_at as createdAt'])
    .where('state', '=', state)
    .where('state', '!=', 'published')
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}
