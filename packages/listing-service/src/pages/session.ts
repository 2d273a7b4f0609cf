import { randomBytes } from 'node:crypto';
import { day } from '@tallyhook/platform/durations';
import { type CookieSession, createSessionCookie, equalSecrets } from '@tallyhook/platform/web/session-cookie';
import type { Request, Response } from 'express';
import type { Database } from '../storage/database.ts';
import {
  findMemberWithEpoch,
  isSessionRevoked,
  revokeSession,
  type ServiceMember,
  sessionEpochOf,
} from '../storage/members/members.ts';

export interface Visitor extends ServiceMember {
  /** The CSRF token of every form of this session. */
  readonly formToken: string;
  /** May open the moderation pages. */
  readonly isOperator: boolean;
}

/**
 * A session is a signed cookie with the user id, the member's epoch, a random value in the database of which a new one
 * ends all sessions of the member, and an id of its own, which is stored when the session is ended alone.
 */
export type MemberSessions = ReturnType<typeof createSessions>;

/**
 * @param options.key signs the cookies; a new one ends all sessions
 * @param options.operators the user ids of the operators
 * @param options.secure whether browsers must send the cookie over HTTPS only
 */
export function createSessions(
  database: Database,
  options: { readonly key: string; readonly secure: boolean; readonly operators: ReadonlySet<string> },
) {
  const { key, secure, operators } = options;
  const cookie = createSessionCookie({
    // By the prefix, browsers reject such a cookie from other hosts of the domain.
    name: secure ? '__Host-tallyhook_session' : 'tallyhook_session',
    key,
    lifetimeMs: 30 * day,
    sameSite: 'lax',
    path: '/',
  });

  return {
    /**
     * Null if the cookie is missing, forged or expired, its member is unknown, or the member has signed out everywhere.
     * @param now ms since the epoch
     */
    async visitor(request: Request, now: number): Promise<Visitor | null> {
      const session = cookie.read(request.headers.cookie, now);
      if (session === null) return null;
      const { userId, epoch, id } = partsOf(session);
      const found = await findMemberWithEpoch(database, userId);
      if (found?.sessionEpoch == null || !equalSecrets(epoch, found.sessionEpoch)) return null;
      if (await isSessionRevoked(database, id)) return null;
      const { username } = found;
      return { userId, username, formToken: session.formToken, isOperator: operators.has(userId) };
    },
    /**
     * Starts a session with a new cookie and CSRF token, in place of the browser's former one. Without effect for an
     * unknown member.
     */
    async signIn(response: Response, userId: string, now: number): Promise<void> {
      const epoch = await sessionEpochOf(database, userId);
      if (epoch === null) return;
      cookie.set(response, { subject: `${userId}~${epoch}~${randomBytes(12).toString('base64url')}`, now, secure });
    },
    /** Ends the session of the browser in all processes, so that a copy of its cookie is not valid any more. */
    async signOut(request: Request, response: Response, now: number): Promise<void> {
      const session = cookie.read(request.headers.cookie, now);
      if (session !== null) {
        await revokeSession(database, partsOf(session).id, session.expiresAt, now);
      }
      cookie.clear(response, { secure });
    },
  };
}

function partsOf({ subject }: CookieSession) {
  const [userId = '', epoch = '', id = ''] = subject.split('~');
  return { userId, epoch, id };
}
