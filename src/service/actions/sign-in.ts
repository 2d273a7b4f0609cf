import { minute } from '../../platform/durations.ts';
import type { Database } from '../storage/database.ts';
import { type ServiceMember, upsertMember } from '../storage/members.ts';
import { digest, newSecret } from '../storage/secrets.ts';
import { consumeSignInLink, insertSignInLink } from '../storage/sign-in-links.ts';

/** A sign-in link works this long (ms), and once. */
export const linkLifetime = 15 * minute;

/** Makes a token that signs a member in, for whoever runs the service to hand over. Only its digest is kept. */
export async function issueSignInToken(database: Database, member: ServiceMember, now: number): Promise<string> {
  const token = newSecret('in');
  await insertSignInLink(database, { ...member, hash: digest(token), expiresAt: now + linkLifetime });
  return token;
}

/** Uses a token up and says whom it signs in; null where it is unknown, used or too old. */
export async function redeemSignInToken(database: Database, token: string, now: number): Promise<ServiceMember | null> {
  const member = await consumeSignInLink(database, digest(token), { now, latest: now + linkLifetime + minute });
  if (member) await upsertMember(database, member);
  return member;
}
