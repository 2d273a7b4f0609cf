import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Request, Response } from 'express';
import type { SessionRevocations } from '../../core/store/coordination/session-revocations.ts';
import type { Clock } from '../../platform/clock.ts';
import { hour, minute } from '../../platform/durations.ts';
import { createSessionCookie, type SessionCookie } from '../../platform/web/session-cookie.ts';

/** The session of the signed-in owner. */
export interface OwnerSession {
  readonly id: string;
  /** ms since the epoch. */
  readonly expiresAt: number;
  /** The CSRF token of every form of this session. */
  readonly formToken: string;
}

const lifetimeMs = 2 * hour;
/** The accepted difference between the clocks of processes (ms). */
const clockToleranceMs = minute;

/**
 * A session is a signed cookie with a random id. The signing key is derived from the owner token by scrypt: sessions
 * are valid in all processes and after a restart, the token cannot be guessed from a cookie, and a new token ends all
 * sessions. The cookie has no path, so that it is valid under any path of a proxy.
 */
export interface OwnerSessions {
  /** Null if the cookie is missing, forged, expired or revoked. Rejects if the database cannot be read. */
  find(request: Request): Promise<OwnerSession | null>;
  signIn(request: Request, response: Response): Promise<void>;
  /**
   * Revokes the session in all processes, for every copy of the cookie. Rejects, and keeps the cookie, if that cannot
   * be stored.
   */
  signOut(session: OwnerSession, request: Request, response: Response): Promise<void>;
}

/** @param token the `OWNER_TOKEN` */
export function createOwnerSessions(token: string, revocations: SessionRevocations, clock: Clock): OwnerSessions {
  let derived: Promise<SessionCookie> | undefined;
  // At the first use: it takes longer than anything else that a start computes, and many never open the console.
  const sessionCookie = () => (derived ??= deriveCookie(token));

  return {
    async find(request) {
      const cookie = await sessionCookie();
      const now = clock.now();
      const content = cookie.read(request.headers.cookie, now);
      // A session that ends too late began before the clock was set back; its real age is unknown.
      if (content === null || content.expiresAt > now + lifetimeMs + clockToleranceMs) return null;
      const { subject: id, expiresAt, formToken } = content;
      // Only for genuine cookies, so that forged ones cause no queries.
      return (await revocations.isRevoked(id)) ? null : { id, expiresAt, formToken };
    },
    async signIn(request, response) {
      const id = randomBytes(16).toString('base64url');
      const cookie = await sessionCookie();
      cookie.set(response, { subject: id, now: clock.now(), secure: usesHttps(request) });
    },
    async signOut({ id, expiresAt }, request, response) {
      await revocations.revoke({ id, expiresAt, now: clock.now() });
      const cookie = await sessionCookie();
      cookie.clear(response, { secure: usesHttps(request) });
    },
  };
}

async function deriveCookie(token: string): Promise<SessionCookie> {
  const key = (await promisify(scrypt)(token, 'tallyhook owner console', 32)) as Buffer;
  return createSessionCookie({ name: 'tallyhook_owner', key, lifetimeMs, sameSite: 'strict' });
}

/** Whether the browser uses HTTPS: by the proxy's header, or by the origin of the form. */
function usesHttps(request: Request): boolean {
  return request.secure || /^https:/i.test(request.get('origin') ?? '');
}
