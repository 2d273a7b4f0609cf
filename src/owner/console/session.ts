import { hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { type CookieSession, createSessionCookie, type SessionCookie } from '@tallyhook/platform/web/session-cookie';
import type { Request, Response } from 'express';
import { operator } from '../../core/ledger/correction.ts';
import type { SessionRevocations } from '../../core/store/coordination.ts';
import type { OwnerContext } from '../context.ts';

/** A member who has signed in with Discord. What the member may see is decided for each request. */
export interface SignedInMember {
  readonly userId: string;
  /** The servers that the member managed when signing in, of those with a community: for the choice among them. */
  readonly guildIds: readonly string[];
}

export interface OwnerSession {
  readonly id: string;
  readonly expiresAt: number;
  /** The CSRF token of every form of this session. */
  readonly formToken: string;
  readonly member: SignedInMember | null;
}

/** Who changes something: the Discord id of the member, or {@link operator}. */
export function authorOf({ member }: Pick<OwnerSession, 'member'>): string {
  return member?.userId ?? operator;
}

/** A request of a session, with what it may see and change: all of it is in the context. */
export interface Visit extends OwnerSession {
  readonly context: OwnerContext;
  /** The roles and the name of a member in the guild; null for the operator. */
  readonly visitor: { readonly name: string; readonly roles: readonly string[] } | null;
  readonly guildName: string | null;
}

export const sessionLifetimeMs = 2 * hour;
/** A cookie has at most 4,096 bytes. */
const maxGuilds = 150;

/**
 * A session is a signed cookie with a random id, and for a member who it is. The signing key is derived from the owner
 * token by scrypt, or for members from the client secret: sessions are valid in all processes and after a restart, the
 * token cannot be guessed from a cookie, and a new token or secret ends all sessions that are signed with it. The cookie
 * has no path, so that it is valid under any path of a proxy: it must be set from a path directly below the console's.
 */
export function createOwnerSessions(
  { token, clientSecret }: { readonly token: string | null; readonly clientSecret: string | null },
  revocations: SessionRevocations,
  clock: Clock,
) {
  let derived: Promise<SessionCookie> | undefined;
  // At the first use: it takes longer than anything else that a start computes, and many never open the console.
  const operatorCookie = () => {
    if (token === null) return null;
    derived ??= deriveCookie(token);
    return derived;
  };
  const memberCookie =
    clientSecret === null
      ? null
      : createCookie(Buffer.from(hkdfSync('sha256', clientSecret, '', 'tallyhook owner console', 32)));

  async function cookieOf(member: SignedInMember | null): Promise<SessionCookie> {
    const cookie = member === null ? await operatorCookie() : memberCookie;
    if (cookie === null) throw new Error('Nobody can sign in like this.');
    return cookie;
  }

  /** A genuine cookie is signed with one of the keys, which says whose it is. */
  async function read(header: string | undefined, now: number): Promise<OwnerSession | null> {
    const ofOperator = (await operatorCookie())?.read(header, now) ?? null;
    if (ofOperator !== null) return { ...timesOf(ofOperator), id: ofOperator.subject, member: null };
    const ofMember = memberCookie?.read(header, now) ?? null;
    if (ofMember === null) return null;
    const [id = '', userId = '', guildIds = ''] = ofMember.subject.split('~');
    return { ...timesOf(ofMember), id, member: { userId, guildIds: guildIds.split('-').filter(Boolean) } };
  }

  return {
    /** Null if the cookie is missing, forged, expired or revoked. Rejects if the database cannot be read. */
    async find(request: Request): Promise<OwnerSession | null> {
      const session = await read(request.headers.cookie, clock.now());
      // Only for genuine cookies, so that forged ones cause no queries.
      return session === null || (await revocations.isRevoked(session.id)) ? null : session;
    },
    /** @param member null for the operator */
    async signIn(request: Request, response: Response, member: SignedInMember | null): Promise<void> {
      const id = randomBytes(16).toString('base64url');
      const subject = member === null ? id : `${id}~${member.userId}~${member.guildIds.slice(0, maxGuilds).join('-')}`;
      const cookie = await cookieOf(member);
      cookie.set(response, { subject, now: clock.now(), secure: usesHttps(request) });
    },
    /** Revokes the session in all processes. Rejects, and keeps the cookie, if that cannot be stored. */
    async signOut({ id, expiresAt, member }: OwnerSession, request: Request, response: Response): Promise<void> {
      await revocations.revoke({ id, expiresAt, now: clock.now() });
      const cookie = await cookieOf(member);
      cookie.clear(response, { secure: usesHttps(request) });
    },
  };
}

export type OwnerSessions = ReturnType<typeof createOwnerSessions>;

function timesOf({ expiresAt, formToken }: CookieSession) {
  return { expiresAt, formToken };
}

async function deriveCookie(token: string): Promise<SessionCookie> {
  return createCookie((await promisify(scrypt)(token, 'tallyhook owner console', 32)) as Buffer);
}

function createCookie(key: Buffer): SessionCookie {
  return createSessionCookie({ name: 'tallyhook_owner', key, lifetimeMs: sessionLifetimeMs, sameSite: 'strict' });
}

/** True if the browser uses HTTPS: by the proxy's header, or by the origin of the form. */
function usesHttps(request: Request): boolean {
  return request.secure || /^https:/i.test(request.get('origin') ?? '');
}
