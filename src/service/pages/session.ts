import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { day } from '../../platform/durations.ts';
import type { Database } from '../storage/database.ts';
import { findMember, type ServiceMember } from '../storage/members.ts';
import { storedSetting } from '../storage/settings.ts';

/** Somebody who is signed in. */
export interface Visitor extends ServiceMember {
  /** Proves that a form came from a page of this session; stands in every form. */
  readonly formToken: string;
}

const cookieName = 'tallyhook_session';
const lifetime = 30 * day;

/**
 * Who is signed in stands in a cookie of the form `user.expiry.signature`, so nothing about sessions needs to be stored. The
 * signing key is made once and kept in the database; removing it signs everybody out.
 */
export interface MemberSessions {
  /** Null for a visitor who is not signed in, or whose cookie is spent or forged. */
  visitor(request: Request, now: number): Promise<Visitor | null>;
  signIn(response: Response, userId: string, now: number): void;
  signOut(response: Response): void;
}

/** @param secure lets browsers send the cookie over https only. */
export async function openSessions(database: Database, secure: boolean): Promise<MemberSessions> {
  const key = await storedSetting(database, 'session_key', () => randomBytes(32).toString('base64url'));
  const seal = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  const attributes = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;

  return {
    async visitor(request, now) {
      const cookie = readCookie(request.get('cookie') ?? '');
      const [userId, expiry, signature] = cookie.split('.');
      if (userId === undefined || expiry === undefined || signature === undefined) return null;
      if (!same(signature, seal(`${userId}.${expiry}`)) || !(Number(expiry) > now)) return null;
      const member = await findMember(database, userId);
      return member && { ...member, formToken: seal(`form ${cookie}`) };
    },
    signIn(response, userId, now) {
      const content = `${userId}.${now + lifetime}`;
      response.cookie(cookieName, `${content}.${seal(content)}`, { ...attributes, maxAge: lifetime });
    },
    signOut(response) {
      response.clearCookie(cookieName, attributes);
    },
  };
}

function readCookie(header: string): string {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1) ?? '';
}

/** Compares in constant time. */
export function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
