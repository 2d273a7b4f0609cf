import { minute } from '@tallyhook/platform/durations';
import type { Database, Sql } from '../database.ts';
import { digest, newSecret } from '../secrets.ts';
import type { Row } from '../tables.ts';
import { type ServiceMember, upsertMember, withSafeName } from './members.ts';

/** TTL of a sign-in link (ms). It can be used once. */
export const signInLinkTtlMs = 15 * minute;

/** Creates a sign-in token for a member, which the operator of the service hands over. Only its digest is stored. */
export async function issueSignInToken(database: Database, member: ServiceMember, now: number): Promise<string> {
  const token = newSecret('in');
  const { userId, username } = withSafeName(member);
  await database
    .insertInto('sign_in_links')
    .values({ hash: digest(token), user_id: userId, username, expires_at: now + signInLinkTtlMs })
    .execute();
  return token;
}

/** The member whom a token would sign in, or null as for {@link redeemSignInToken}. */
export async function findSignInMember(sql: Sql, token: string, now: number): Promise<ServiceMember | null> {
  const links = sql.selectFrom('sign_in_links').selectAll().where('hash', '=', digest(token));
  return memberOfValid(await links.executeTakeFirst(), now);
}

/** Consumes a token and returns the member that it signs in, or null if it is unknown, used or expired. */
export async function redeemSignInToken(sql: Sql, token: string, now: number): Promise<ServiceMember | null> {
  const links = sql.deleteFrom('sign_in_links').where('hash', '=', digest(token)).returningAll();
  const member = memberOfValid(await links.executeTakeFirst(), now);
  if (member) await upsertMember(sql, member);
  return member;
}

/** A link that expires later than a new one would is from before the clock was set back, so its age is unknown. */
function memberOfValid(link: Row<'sign_in_links'> | undefined, now: number): ServiceMember | null {
  const isValid = link !== undefined && link.expires_at > now && link.expires_at <= now + signInLinkTtlMs + minute;
  return isValid ? { userId: link.user_id, username: link.username } : null;
}
