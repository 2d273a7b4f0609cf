import type { Sql } from '../storage/database.ts';
import { findListing, type StoredListing } from '../storage/listings/listings.ts';
import { findMember } from '../storage/members/members.ts';
import type { ListingState } from '../storage/tables.ts';
import { openReportsOf, type ReportTarget, reportedTargets, type StoredReport } from './reports.ts';

const maxReportsPerTarget = 5;

/** Something with open reports, as it is now. */
export interface QueueItem {
  readonly target: ReportTarget;
  /** The number of open reports; `reports` are the oldest of them. */
  readonly total: number;
  readonly reports: readonly (StoredReport & { readonly reporterName: string | null })[];
  /** Null if it was deleted. */
  readonly listing: StoredListing | null;
  /** The reported review as it is now; null for a listing, or if it was deleted. */
  readonly review: { readonly username: string; readonly rating: number; readonly comment: string } | null;
}

/** A page of the queue, and whether there is another. Most reports first, then the longest waiting. */
export async function moderationQueue(
  sql: Sql,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly items: readonly QueueItem[]; readonly hasMore: boolean }> {
  const targets = await reportedTargets(sql, { limit: limit + 1, offset });
  const items = await Promise.all(
    targets.slice(0, limit).map(async ({ reports: total, ...target }) => ({
      target,
      total,
      reports: await reportsWithNames(sql, target),
      listing: await findListing(sql, target.listingId),
      review: target.kind === 'review' ? await findReview(sql, target) : null,
    })),
  );
  return { items, hasMore: targets.length > limit };
}

async function reportsWithNames(sql: Sql, target: ReportTarget): Promise<QueueItem['reports']> {
  const reports = await openReportsOf(sql, target, maxReportsPerTarget);
  return Promise.all(
    reports.map(async (report) => ({
      ...report,
      reporterName: (await findMember(sql, report.reporterId))?.username ?? null,
    })),
  );
}

async function findReview(sql: Sql, { listingId, reviewUserId }: ReportTarget): Promise<QueueItem['review']> {
  const row = await sql
    .selectFrom('reviews')
    .select(['username', 'rating', 'comment'])
    .where('listing_id', '=', listingId)
    .where('user_id', '=', reviewUserId)
    .executeTakeFirst();
  return row ?? null;
}

/** A listing that is not published. */
export interface UnpublishedListing {
  readonly id: string;
  readonly kind: 'server' | 'bot';
  readonly name: string;
  readonly description: string;
  readonly ownerId: string;
  readonly ownerName: string | null;
  /** Why it is hidden; null for a pending one. */
  readonly reason: string | null;
  readonly createdAt: number;
}

/** Listings in this state, oldest first. */
export function listingsInState(
  sql: Sql,
  state: Extract<ListingState, 'pending' | 'hidden'>,
  limit: number,
): Promise<UnpublishedListing[]> {
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
