import type { Sql } from './database.ts';
import type { Member } from './members.ts';

export async function insertSignInLink(sql: Sql, link: Member & { hash: string; expiresAt: number }): Promise<void> {
  await sql
    .insertInto('sign_in_links')
    .values({ hash: link.hash, user_id: link.userId, username: link.username, expires_at: link.expiresAt })
    .execute();
}

/** Uses a link up; null where there is none of this digest, or where it is spent. */
export async function takeSignInLink(sql: Sql, hash: string, now: number): Promise<Member | null> {
  const row = await sql.deleteFrom('sign_in_links').where('hash', '=', hash).returningAll().executeTakeFirst();
  return row && row.expires_at > now ? { userId: row.user_id, username: row.username } : null;
}

/** Forgets the links that are spent by a moment (ms since the epoch). */
export async function forgetSignInLinks(sql: Sql, until: number): Promise<void> {
  await sql.deleteFrom('sign_in_links').where('expires_at', '<=', until).execute();
}
