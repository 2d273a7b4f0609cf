import type { Sql } from './database.ts';
import type { Member } from './members.ts';

export async function insertSignInLink(sql: Sql, link: Member & { hash: string; expiresAt: number }): Promise<void> {
  await sql
    .insertInto('sign_in_links')
    .values({ hash: link.hash, user_id: link.userId, username: link.username, expires_at: link.expiresAt })
    .execute();
}

/**
 * Uses a link up; null where there is none of this digest, where it is spent, and where it would last beyond `latest`: it was made before
 * the clock was set back, and nobody knows when.
 */
export async function takeSignInLink(
  sql: Sql,
  hash: string,
  { now, latest }: { now: number; latest: number },
): Promise<Member | null> {
  const row = await sql.deleteFrom('sign_in_links').where('hash', '=', hash).returningAll().executeTakeFirst();
  return row && row.expires_at > now && row.expires_at <= latest
    ? { userId: row.user_id, username: row.username }
    : null;
}

/** Forgets the links that are spent by a moment (ms since the epoch). */
export async function forgetSignInLinks(sql: Sql, until: number): Promise<void> {
  await sql.deleteFrom('sign_in_links').where('expires_at', '<=', until).execute();
}
