import type { Sql } from './database.ts';
import type { ServiceMember } from './members.ts';

export async function insertSignInLink(
  sql: Sql,
  link: ServiceMember & { hash: string; expiresAt: number },
): Promise<void> {
  await sql
    .insertInto('sign_in_links')
    .values({ hash: link.hash, user_id: link.userId, username: link.username, expires_at: link.expiresAt })
    .execute();
}

/**
 * Uses a link up; null where there is none of this digest, where it is spent, and where it would last beyond `latest`: it was made before
 * the clock was set back, and nobody knows when.
 */
export async function consumeSignInLink(
  sql: Sql,
  hash: string,
  { now, latest }: { now: number; latest: number },
): Promise<ServiceMember | null> {
  const row = await sql.deleteFrom('sign_in_links').where('hash', '=', hash).returningAll().executeTakeFirst();
  return row && row.expires_at > now && row.expires_at <= latest
    ? { userId: row.user_id, username: row.username }
    : null;
}

/** Forgets the links that are spent by a moment (ms since the epoch). */
export async function deleteExpiredSignInLinks(sql: Sql, until: number): Promise<void> {
  await sql.deleteFrom('sign_in_links').where('expires_at', '<=', until).execute();
}
