import type { Sql } from './database.ts';

export interface Member {
  readonly userId: string;
  readonly username: string;
}

/** Remembers a member's name as it is now. */
export async function putMember(sql: Sql, member: Member): Promise<void> {
  await sql
    .insertInto('members')
    .values({ user_id: member.userId, username: member.username })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ username: member.username }))
    .execute();
}

export async function findMember(sql: Sql, userId: string): Promise<Member | null> {
  const row = await sql.selectFrom('members').selectAll().where('user_id', '=', userId).executeTakeFirst();
  return row ? { userId: row.user_id, username: row.username } : null;
}

/** The first members by name, for the sandbox's choice of whom to act as. */
export async function someMembers(sql: Sql, limit: number): Promise<Member[]> {
  const rows = await sql.selectFrom('members').selectAll().orderBy('username').limit(limit).execute();
  return rows.map((row) => ({ userId: row.user_id, username: row.username }));
}
