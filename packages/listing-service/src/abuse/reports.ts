import { randomUUID } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import type { Sql } from '../storage/database.ts';
import { findListing } from '../storage/listings/listings.ts';
import { findReview, findReviewBy } from '../storage/reviews.ts';
import type { ListingState, ReportKind, ReportState, ServiceTables } from '../storage/tables.ts';
import { isServiceTextIn, type ServiceTexts } from '../texts/texts.ts';

export const reportReasons = ['spam', 'abuse', 'illegal', 'misleading', 'privacy', 'other'] as const;

type ReportReason = (typeof reportReasons)[number];

/** The text of a stored reason, which may be that of another version. */
export function reasonText(reason: string, { text }: ServiceTexts): string {
  return isServiceTextIn('report.reasons', reason) ? text(`report.reasons.${reason}`) : reason;
}

export interface NewReport {
  readonly kind: ReportKind;
  readonly listingId: string;
  /** The id of the reported review; ignored for a listing. */
  readonly reviewId?: number;
  readonly reporterId: string;
  readonly reason: ReportReason;
  readonly text: string;
  /** ms since the epoch. */
  readonly now: number;
}

/** `open-already`: this reporter has an open report of the same review or listing. Then nothing is stored. */
export type ReportOutcome = 'filed' | 'open-already' | 'not-found';

/** Stores a report with the reported text, because its author may change it. */
export async function fileReport(sql: Sql, report: NewReport): Promise<ReportOutcome> {
  const { kind, listingId, reporterId, reason, text, now } = report;
  const reported = await findReported(sql, report);
  if (reported === null) return 'not-found';
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('reports')
    .values({
      id: randomUUID(),
      kind,
      listing_id: listingId,
      review_user_id: reported.userId,
      reporter_id: reporterId,
      reason,
      text,
      reported_text: reported.text,
      state: 'open',
      created_at: now,
      closed_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n ? 'filed' : 'open-already';
}

async function findReported(sql: Sql, { kind, listingId, reviewId = 0 }: NewReport) {
  if (kind === 'listing') {
    const listing = await findListing(sql, listingId);
    if (listing === null) return null;
    const { name, description, invite } = listing;
    return { userId: '', text: [name, description, invite ?? ''].join('\n').trim() };
  }
  const review = await findReview(sql, listingId, reviewId);
  return review && { userId: review.userId, text: review.comment };
}

/** The subject of reports: a listing, or the review of a member (`reviewUserId`, otherwise empty). */
export interface ReportTarget {
  readonly kind: ReportKind;
  readonly listingId: string;
  readonly reviewUserId: string;
}

/** `reportedText`: the review, or name, description and invite of the listing, when it was reported. */
const columns = [
  ...(['id', 'kind', 'listing_id as listingId', 'review_user_id as reviewUserId'] as const),
  ...(['reporter_id as reporterId', 'reason', 'text', 'reported_text as reportedText'] as const),
  ...(['state', 'created_at as createdAt'] as const),
] as const;

export async function countOpenReports(sql: Sql): Promise<number> {
  const { reports } = await sql
    .selectFrom('reports')
    .select(({ fn }) => fn.countAll<number>().as('reports'))
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  return Number(reports);
}

/** The listings and reviews with open reports: most reports first, then the longest waiting. */
export async function reportedTargets(
  sql: Sql,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<(ReportTarget & { readonly reports: number })[]> {
  const rows = await sql
    .selectFrom('reports')
    .select(['kind', 'listing_id as listingId', 'review_user_id as reviewUserId'])
    .select(({ fn }) => fn.countAll<number>().as('reports'))
    .where('state', '=', 'open')
    .groupBy(['kind', 'listing_id', 'review_user_id'])
    .orderBy('reports', 'desc')
    .orderBy(({ fn }) => fn.min('created_at'))
    .orderBy('listing_id')
    .orderBy('review_user_id')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map((row) => ({ ...row, reports: Number(row.reports) }));
}

function isOpenAbout({ kind, listingId, reviewUserId }: ReportTarget) {
  return (row: ExpressionBuilder<ServiceTables, 'reports'>) =>
    row.and({ state: 'open', kind, listing_id: listingId, review_user_id: reviewUserId });
}

/** The open reports of one target with the names of the reporters where they are known, oldest first. */
export function openReportsOf(sql: Sql, target: ReportTarget, limit: number) {
  return sql
    .selectFrom('reports')
    .where(isOpenAbout(target))
    .leftJoin('members', 'members.user_id', 'reports.reporter_id')
    .select([...columns, 'members.username as reporterName'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export function reportsOfReporter(sql: Sql, reporterId: string, limit: number) {
  return sql
    .selectFrom('reports')
    .select(columns)
    .where('reporter_id', '=', reporterId)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
}

/** Closes all open reports of a target and returns their number. @param now ms since the epoch */
export async function closeReports(
  sql: Sql,
  target: ReportTarget,
  state: Exclude<ReportState, 'open'>,
  now: number,
): Promise<number> {
  const { numUpdatedRows } = await sql
    .updateTable('reports')
    .set({ state, closed_at: now })
    .where(isOpenAbout(target))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Deletes closed reports that were closed before a time (ms since the epoch). */
export async function deleteClosedReports(sql: Sql, before: number): Promise<void> {
  await sql.deleteFrom('reports').where('state', '!=', 'open').where('closed_at', '<', before).execute();
}

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
