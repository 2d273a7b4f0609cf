import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { day } from '../../platform/durations.ts';
import { createSessionCookie } from '../../web/session-cookie.ts';
import type { Database } from '../storage/database.ts';
import { findMember, type ServiceMember } from '../storage/members.ts';
import { storedSetting } from '../storage/settings.ts';

/** A signed-in member. */
export interface Visitor extends ServiceMember {
  /** The CSRF token of every form of this session. */
  readonly formToken: string;
}

/**
 * A session is a signed cookie with the user id. The signing key is stored in the database; deleting it ends all
 * sessions.
 */
export interface MemberSessions {
  /** Null if the cookie is missing, forged or expired, or its member is unknown. @param now ms since the epoch */
  visitor(request: Request, now: number): Promise<Visitor | null>;
  /** @param now ms since the epoch */
  signIn(response: Response, userId: string, now: number): void;
  signOut(response: Response): void;
}

/** @param secure whether browsers must send the cookie over HTTPS only */
export async function openSessions(database: Database, secure: boolean): Promise<MemberSessions> {
  const key = await storedSetting(database, 'session_key', () => randomBytes(32).toString('base64url'));
  const cookie = createSessionCookie({
    name: 'tallyhook_session',
    key,
    lifetimeMs: 30 * day,
    sameSite: 'lax',
    path: '/',
  });

  return {
    async visitor(request, now) {
      const session = cookie.read(request.headers.cookie, now);
      const member = session && (await findMember(database, session.subject));
      return session && member && { ...member, formToken: session.formToken };
    },
    signIn(response, userId, now) {
      cookie.set(response, { subject: userId, now, secure });
    },
    signOut(response) {
      cookie.clear(response, { secure });
    },
  };
}
