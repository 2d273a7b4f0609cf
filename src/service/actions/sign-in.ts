import { minute } from '../../platform/durations.ts';
import type { Database } from '../storage/database.ts';
import { type ServiceMember, upsertMember, withSafeName } from '../storage/members/members.ts';
import { consumeSignInLink, findSignInLink, insertSignInLink } from '../storage/members/sign-in-links.ts';
import { digest, newSecret } from '../storage/secrets.ts';

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
