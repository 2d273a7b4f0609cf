import type { Sql } from '../storage/database.ts';

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
