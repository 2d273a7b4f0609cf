import { randomUUID } from 'node:crypto';
import type { Database, Sql } from '../storage/database.ts';
import { updateListingState } from '../storage/listings/listings.ts';
import { deleteReviewBy } from '../storage/reviews.ts';
import { closeReports, type ReportTarget } from './reports.ts';

type ModerationAction =
  | 'dismiss-reports'
  | 'remove-review'
  | 'hide-listing'
  | 'publish-listing'
  | 'ban-member'
  | 'lift-ban';

/** True if the last decision about a listing was to hide it, also if it was deleted since. */
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

/** The listing, the review of a member, or the member that an action is about. */
interface ModerationSubject {
  readonly listingId?: string;
  readonly userId?: string;
}

/**
 * Carries out and logs an action of an operator, in one transaction; false if there was nothing to do.
 * @param context.reason is shown to the owner of a hidden listing, and to a banned member
 */
export function moderate(
  database: Database,
  action: ModerationAction,
  subject: ModerationSubject,
  context: ModerationContext,
): Promise<boolean> {
  const { operatorId, now, reason } = context;
  const { listingId, userId } = subject;
  return database.transaction().execute(async (sql) => {
    if (!(await perform(sql, action, subject, context))) return false;
    const about = { listing_id: listingId || null, user_id: userId || null };
    const entry = { id: randomUUID(), at: now, operator_id: operatorId, action, ...about, reason };
    await sql.insertInto('moderation_log').values(entry).execute();
    return true;
  });
}

async function perform(
  sql: Sql,
  action: ModerationAction,
  { listingId = '', userId = '' }: ModerationSubject,
  { now, reason }: ModerationContext,
): Promise<boolean> {
  const reported: ReportTarget = { kind: userId === '' ? 'listing' : 'review', listingId, reviewUserId: userId };
  switch (action) {
    case 'dismiss-reports':
      return (await closeReports(sql, reported, 'dismissed', now)) > 0;
    case 'remove-review': {
      const removed = await deleteReviewBy(sql, listingId, userId);
      await closeReports(sql, reported, removed ? 'upheld' : 'dismissed', now);
      return removed;
    }
    case 'hide-listing':
      if (!(await updateListingState(sql, listingId, 'hidden', reason))) return false;
      await closeReports(sql, reported, 'upheld', now);
      return true;
    case 'publish-listing':
      return updateListingState(sql, listingId, 'published', null);
    case 'ban-member':
      await banMember(sql, { userId, reason, bannedAt: now });
      return true;
    case 'lift-ban':
      return liftBan(sql, userId);
  }
}
