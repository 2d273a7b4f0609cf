import { randomUUID } from 'node:crypto';
import type { Database, Sql } from '../storage/database.ts';
import { updateListingState } from '../storage/listings/listings.ts';
import { deleteReviewBy } from '../storage/reviews.ts';
import { closeReports, type ReportTarget } from './reports.ts';

/** What an operator can do. */
type ModerationAction =
  | 'dismiss-reports'
  | 'remove-review'
  | 'hide-listing'
  | 'publish-listing'
  | 'ban-member'
  | 'lift-ban';

/** Whether the last decision about a listing was to hide it, also if it was deleted since. */
export async function wasHidden(sql: Sql, listingId: string): Promise<boolean> {
  const last = await sql
    .selectFrom('moderation_log')
    .select('action')
    .where('listing_id', '=', listingId)
    .where('action', 'in', ['hide-listing', 'publish-listing'])
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.action === 'hide-listing';
}

/** The last actions, newest first, with the names of operator and member where they are known. */
export function moderationLog(sql: Sql, limit: number) {
  return sql
    .selectFrom('moderation_log as entry')
    .leftJoin('members as operator', 'operator.user_id', 'entry.operator_id')
    .leftJoin('members as member', 'member.user_id', 'entry.user_id')
    .select(['entry.at', 'entry.operator_id as operatorId', 'operator.username as operatorName', 'entry.action'])
    .select(['entry.listing_id as listingId', 'entry.user_id as userId', 'member.username', 'entry.reason'])
    .orderBy('entry.at', 'desc')
    .orderBy('entry.id')
    .limit(limit)
    .execute();
}

/** A member who may not vote, review, report, or create and edit listings, but may delete what is the member's. */
export interface Ban {
  readonly userId: string;
  /** For the member. */
  readonly reason: string;
  /** ms since the epoch. */
  readonly bannedAt: number;
}

/** Bans a member. A second ban replaces the reason of the first. */
export async function banMember(sql: Sql, { userId, reason, bannedAt }: Ban): Promise<void> {
  await sql
    .insertInto('bans')
    .values({ user_id: userId, reason, banned_at: bannedAt })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ reason }))
    .execute();
}

/** False if the member was not banned. */
export async function liftBan(sql: Sql, userId: string): Promise<boolean> {
  const { numDeletedRows } = await sql.deleteFrom('bans').where('user_id', '=', userId).executeTakeFirst();
  return numDeletedRows > 0n;
}

const columns = ['bans.user_id as userId', 'bans.reason', 'bans.banned_at as bannedAt'] as const;

export async function findBan(sql: Sql, userId: string): Promise<Ban | null> {
  return (await sql.selectFrom('bans').select(columns).where('user_id', '=', userId).executeTakeFirst()) ?? null;
}

/** The bans, newest first. */
export function listBans(sql: Sql, limit: number): Promise<(Ban & { readonly username: string | null })[]> {
  return sql
    .selectFrom('bans')
    .leftJoin('members', 'members.user_id', 'bans.user_id')
    .select([...columns, 'members.username'])
    .orderBy('bans.banned_at', 'desc')
    .orderBy('bans.user_id')
    .limit(limit)
    .execute();
}

/** Who acts, when (ms since the epoch), and why. */
export interface ModerationContext {
  readonly operatorId: string;
  readonly now: number;
  readonly reason: string;
}

/** What an action was about. */
interface ModerationSubject {
  readonly listingId: string | null;
  readonly userId: string | null;
}

/** Runs an action of an operator in a transaction, which logs it if it has changed anything. */
function moderate(
  database: Database,
  action: ModerationAction,
  { listingId, userId }: ModerationSubject,
  { operatorId, now, reason }: ModerationContext,
  act: (sql: Sql) => Promise<boolean>,
): Promise<boolean> {
  return database.transaction().execute(async (sql) => {
    if (!(await act(sql))) return false;
    const entry = {
      id: randomUUID(),
      at: now,
      operator_id: operatorId,
      action,
      listing_id: listingId,
      user_id: userId,
    };
    await sql
      .insertInto('moderation_log')
      .values({ ...entry, reason })
      .execute();
    return true;
  });
}

/** Closes the reports of a target without another effect; false if there are none. */
export function dismissReports(database: Database, target: ReportTarget, context: ModerationContext): Promise<boolean> {
  return moderate(database, 'dismiss-reports', subjectOf(target), context, async (sql) => {
    return (await closeReports(sql, target, 'dismissed', context.now)) > 0;
  });
}

/** Deletes a review, and closes its reports; false if it does not exist any more. */
export function removeReview(database: Database, target: ReportTarget, context: ModerationContext): Promise<boolean> {
  return moderate(database, 'remove-review', subjectOf(target), context, async (sql) => {
    const removed = await deleteReviewBy(sql, target.listingId, target.reviewUserId);
    await closeReports(sql, target, removed ? 'upheld' : 'dismissed', context.now);
    return removed;
  });
}

/** Hides a listing with a reason that its owner sees, and closes its reports; false if it does not exist. */
export function hideListing(database: Database, listingId: string, context: ModerationContext): Promise<boolean> {
  return moderate(database, 'hide-listing', { listingId, userId: null }, context, async (sql) => {
    if (!(await updateListingState(sql, listingId, 'hidden', context.reason))) return false;
    await closeReports(sql, { kind: 'listing', listingId, reviewUserId: '' }, 'upheld', context.now);
    return true;
  });
}

/** Publishes a listing that waited or was hidden; false if it does not exist. */
export function publishListing(database: Database, listingId: string, context: ModerationContext): Promise<boolean> {
  return moderate(database, 'publish-listing', { listingId, userId: null }, context, (sql) =>
    updateListingState(sql, listingId, 'published', null),
  );
}

/** Bans a member, who sees the reason. */
export function ban(database: Database, userId: string, context: ModerationContext): Promise<boolean> {
  return moderate(database, 'ban-member', { listingId: null, userId }, context, async (sql) => {
    await banMember(sql, { userId, reason: context.reason, bannedAt: context.now });
    return true;
  });
}

/** False if the member was not banned. */
export function unban(database: Database, userId: string, context: ModerationContext): Promise<boolean> {
  return moderate(database, 'lift-ban', { listingId: null, userId }, context, (sql) => liftBan(sql, userId));
}

function subjectOf({ listingId, reviewUserId }: ReportTarget): ModerationSubject {
  return { listingId, userId: reviewUserId === '' ? null : reviewUserId };
}
