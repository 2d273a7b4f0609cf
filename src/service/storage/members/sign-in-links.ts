import { minute } from '../../../platform/durations.ts';
import type { Database, Sql } from '../database.ts';
import { digest, newSecret } from '../secrets.ts';
import type { Row } from '../tables.ts';
import { type ServiceMember, upsertMember, withSafeName } from './members.ts';

/** TTL of a sign-in link (ms). It can be used once. */
export const signInLinkTtlMs = 15 * minute;

/** Creates a sign-in token for a member, which the operator of the service hands over. Only its digest is stored. */
export async function issueSignInToken(database: Database, member: ServiceMember, now: number): Promise<string> {
  const token = newSecret('in');
  await insertSignInLink(database, { ...withSafeName(member), hash: digest(token), expiresAt: now + signInLinkTtlMs });
  return token;
}

/** The member whom a token would sign in, or null as for {@link redeemSignInToken}. */
export function findSignInMember(database: Database, token: string, now: number): Promise<ServiceMember | null> {
  return findSignInLink(database, digest(token), { now, maxExpiresAt: now + signInLinkTtlMs + minute });
}

/** Consumes a token and returns the member that it signs in, or null if it is unknown, used or expired. */
export async function redeemSignInToken(database: Database, token: string, now: number): Promise<ServiceMember | null> {
  const member = await consumeSignInLink(database, digest(token), {
    now,
    maxExpiresAt: now + signInLinkTtlMs + minute,
  });
  if (member) await upsertMember(database, member);
  return member;
}

export async function insertSignInLink(
  sql: Sql,
  link: ServiceMember & { hash: string; expiresAt: number },
): Promise<void> {
  await sql
    .insertInto('sign_in_links')
    .values({ hash: link.hash, user_id: link.userId, username: link.username, expires_at: link.expiresAt })
    .execute();
}

/** The member of a link that {@link consumeSignInLink} would accept, without consuming it. */
export async function findSignInLink(sql: Sql, hash: string, limits: LinkLimits): Promise<ServiceMember | null> {
  const row = await sql.selectFrom('sign_in_links').selectAll().where('hash', '=', hash).executeTakeFirst();
  return memberOfValid(row, limits);
}

/**
 * Deletes a link and returns its member; null if there is no link with this digest, or it has expired, or it expires
 * after `maxExpiresAt`. The last case means that the clock was set back after the link was created, so its age is
 * unknown.
 */
export async function consumeSignInLink(sql: Sql, hash: string, limits: LinkLimits): Promise<ServiceMember | null> {
  const row = await sql.deleteFrom('sign_in_links').where('hash', '=', hash).returningAll().executeTakeFirst();
  return memberOfValid(row, limits);
}

/** ms since the epoch. */
interface LinkLimits {
  readonly now: number;
  readonly maxExpiresAt: number;
}

function memberOfValid(row: Row<'sign_in_links'> | undefined, { now, maxExpiresAt }: LinkLimits): ServiceMember | null {
  const isValid = row !== undefined && row.expires_at > now && row.expires_at <= maxExpiresAt;
  return isValid ? { userId: row.user_id, username: row.username } : null;
}

/** Deletes the links that expire by a time (ms since the epoch). */
export async function deleteExpiredSignInLinks(sql: Sql, until: number): Promise<void> {
  await sql.deleteFrom('sign_in_links').where('expires_at', '<=', until).execute();
}
