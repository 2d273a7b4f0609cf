import type { Database } from '../storage/database.ts';
import { updateListingState } from '../storage/listings/listings.ts';
import { deleteReviewBy } from '../storage/reviews/reviews.ts';
import { banMember, liftBan } from './bans.ts';
import { logModeration } from './moderation-log.ts';
import { closeReports, type ReportTarget } from './reports.ts';

/** Who acts, when (ms since the epoch), and why. */
export interface ModerationContext {
  readonly operatorId: string;
  readonly now: number;
  readonly reason: string;
}

/** Closes the reports of a target without another effect; false if there are none. */
export function dismissReports(database: Database, target: ReportTarget, context: ModerationContext): Promise<boolean> {
  const { now } = context;
  return database.transaction().execute(async (sql) => {
    if ((await closeReports(sql, target, 'dismissed', now)) === 0) return false;
    await logModeration(sql, { ...entry(context), action: 'dismiss-reports', ...subjectOf(target) });
    return true;
  });
}

/** Deletes a review, and closes its reports; false if it does not exist any more. */
export function removeReview(database: Database, target: ReportTarget, context: ModerationContext): Promise<boolean> {
  const { now } = context;
  return database.transaction().execute(async (sql) => {
    const removed = await deleteReviewBy(sql, target.listingId, target.reviewUserId);
    await closeReports(sql, target, removed ? 'upheld' : 'dismissed', now);
    if (removed) await logModeration(sql, { ...entry(context), action: 'remove-review', ...subjectOf(target) });
    return removed;
  });
}

/** Hides a listing with a reason that its owner sees, and closes its reports; false if it does not exist. */
export function hideListing(database: Database, listingId: string, context: ModerationContext): Promise<boolean> {
  const { now, reason } = context;
  return database.transaction().execute(async (sql) => {
    if (!(await updateListingState(sql, listingId, 'hidden', reason))) return false;
    await closeReports(sql, { kind: 'listing', listingId, reviewUserId: '' }, 'upheld', now);
    await logModeration(sql, { ...entry(context), action: 'hide-listing', listingId, userId: null });
    return true;
  });
}

/** Publishes a listing that waited or was hidden; false if it does not exist. */
export function publishListing(database: Database, listingId: string, context: ModerationContext): Promise<boolean> {
  return database.transaction().execute(async (sql) => {
    if (!(await updateListingState(sql, listingId, 'published', null))) return false;
    await logModeration(sql, { ...entry(context), action: 'publish-listing', listingId, userId: null });
    return true;
  });
}

/** Bans a member, who sees the reason. */
export async function ban(database: Database, userId: string, context: ModerationContext): Promise<void> {
  await database.transaction().execute(async (sql) => {
    await banMember(sql, { userId, reason: context.reason, bannedAt: context.now });
    await logModeration(sql, { ...entry(context), action: 'ban-member', listingId: null, userId });
  });
}

/** False if the member was not banned. */
export function unban(database: Database, userId: string, context: ModerationContext): Promise<boolean> {
  return database.transaction().execute(async (sql) => {
    if (!(await liftBan(sql, userId))) return false;
    await logModeration(sql, { ...entry(context), action: 'lift-ban', listingId: null, userId });
    return true;
  });
}

function entry({ operatorId, now, reason }: ModerationContext) {
  return { operatorId, at: now, reason };
}

function subjectOf({ listingId, reviewUserId }: ReportTarget) {
  return { listingId, userId: reviewUserId === '' ? null : reviewUserId };
}
