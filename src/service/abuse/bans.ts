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

export async function findBan(sql: Sql, userId: string): Promise<Ban | null> {
  const row = await sql.selectFrom('bans').selectAll().where('user_id', '=', userId).executeTakeFirst();
  return row === undefined ? null : { userId: row.user_id, reason: row.reason, bannedAt: row.banned_at };
}

/** The bans, newest first. */
export async function listBans(sql: Sql, limit: number): Promise<(Ban & { readonly username: string | null })[]> {
  const rows = await sql
    .selectFrom('bans')
    .leftJoin('members', 'members.user_id', 'bans.user_id')
    .selectAll('bans')
    .select('members.username')
    .orderBy('bans.banned_at', 'desc')
    .orderBy('bans.user_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    userId: row.user_id,
    reason: row.reason,
    bannedAt: row.banned_at,
    username: row.username,
  }));
}
