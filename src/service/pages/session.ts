import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { day } from '../../platform/durations.ts';
import { createSessionCookie, equalSecrets } from '../../web/session-cookie.ts';
import type { Database } from '../storage/database.ts';
import { findMemberWithEpoch, type ServiceMember, sessionEpochOf } from '../storage/members/members.ts';

/** A signed-in member. */
export interface Visitor extends ServiceMember {
  /** The CSRF token of every form of this session. */
  readonly formToken: string;
  /** May open the moderation pages. */
  readonly isOperator: boolean;
}

/**
 * A session is a signed cookie with the user id and the member's epoch, a random value in the database; a new one ends
 * all sessions of the member.
 */
export interface MemberSessions {
  /**
   * Null if the cookie is missing, forged or expired, its member is unknown, or the member has signed out everywhere.
   * @param now ms since the epoch
   */
  visitor(request: Request, now: number): Promise<Visitor | null>;
  /**
   * Starts a session with a new cookie and CSRF token, in place of the browser's former one. Without effect for an
   * unknown member.
   * @param now ms since the epoch
   */
  signIn(response: Response, userId: string, now: number): Promise<void>;
  signOut(response: Response): void;
}

/**
 * @param options.key signs the cookies; a new one ends all sessions
 * @param options.operators the user ids of the operators
 * @param options.secure whether browsers must send the cookie over HTTPS only
 */
export function createSessions(
  database: Database,
  {
    key,
    secure,
    operators,
  }: { readonly key: string; readonly secure: boolean; readonly operators: ReadonlySet<string> },
): MemberSessions {
  const cookie = createSessionCookie({
    // By the prefix, browsers reject such a cookie from other hosts of the domain.
    name: secure ? '__Host-tallyhook_session' : 'tallyhook_session',
    key,
    lifetimeMs: 30 * day,
    sameSite: 'lax',
    path: '/',
  });

  return {
    async visitor(request, now) {
      const session = cookie.read(request.headers.cookie, now);
      if (session === null) return null;
      const [userId = '', epoch = ''] = session.subject.split('~');
      const found = await findMemberWithEpoch(database, userId);
      if (found?.sessionEpoch == null || !equalSecrets(epoch, found.sessionEpoch)) return null;
      return { ...found.member, formToken: session.formToken, isOperator: operators.has(userId) };
    },
    async signIn(response, userId, now) {
      const epoch = await sessionEpochOf(database, userId);
      if (epoch === null) return;
      cookie.set(response, { subject: `${userId}~${epoch}~${randomBytes(12).toString('base64url')}`, now, secure });
    },
    signOut(response) {
      cookie.clear(response, { secure });
    },
  };
}
