import { randomUUID } from 'node:crypto';
import type { Sql } from '../storage/database.ts';

/** What an operator can do. */
export type ModerationAction =
  | 'dismiss-reports'
  | 'remove-review'
  | 'hide-listing'
  | 'publish-listing'
  | 'ban-member'
  | 'lift-ban';

/** An action of an operator. `listingId` and `userId` are what it was about. */
export interface ModerationLogEntry {
  /** ms since the epoch. */
  readonly at: number;
  readonly operatorId: string;
  readonly action: ModerationAction;
  readonly listingId: string | null;
  readonly userId: string | null;
  readonly reason: string;
}

/** Logs an action, in its transaction. */
export async function logModeration(sql: Sql, entry: ModerationLogEntry): Promise<void> {
  await sql
    .insertInto('moderation_log')
    .values({
      id: randomUUID(),
      at: entry.at,
      operator_id: entry.operatorId,
      action: entry.action,
      listing_id: entry.listingId,
      user_id: entry.userId,
      reason: entry.reason,
    })
    .execute();
}

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
