import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Clock } from '../../platform/clock.ts';
import { hour, minute, second } from '../../platform/durations.ts';
import type { SessionRevocations } from '../revocations.ts';

/** An owner who is signed in. */
export interface OwnerSession {
  readonly id: string;
  /** When the token is asked for again (ms since the epoch). */
  readonly expiresAt: number;
  /** Proves that a form came from a page of this session; stands in every form. */
  readonly formToken: string;
}

const cookieName = 'tallyhook_owner';
/** How long it takes until the token is asked for again (ms). */
const lifetime = 2 * hour;

/**
 * A session is a cookie of the form `id.expiry.signature`: the token itself is in no cookie, address or page. The signing key is derived
 * from the token, slowly, so that sessions hold over restarts and processes, nobody guesses the token from a cookie, and a new token
 * signs everybody out. The cookie names no path, so it holds under whatever path a proxy puts the console.
 */
export interface OwnerSessions {
  /** Null for a visitor who is not signed in, or whose cookie is spent or forged. Rejects where the database cannot be read. */
  of(request: Request): Promise<OwnerSession | null>;
  signIn(request: Request, response: Response): void;
  /** No process takes the session again, whoever kept a copy of the cookie. Rejects, and keeps the cookie, where that cannot be stored. */
  signOut(session: OwnerSession, request: Request, response: Response): Promise<void>;
  /** Whether a form carries the token of the session. */
  sent(session: OwnerSession, formToken: unknown): boolean;
}

/** Deriving the key stops this thread for a moment, so it is done once. */
export function createOwnerSessions(token: string, revocations: SessionRevocations, clock: Clock): OwnerSessions {
  const key = scryptSync(token, 'tallyhook owner console', 32);
  const seal = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');

  /** One that would last too long began before the clock was set back, and nobody knows when. Clocks of processes may differ a little. */
  function isCurrent(expiry: number): boolean {
    const now = clock.now();
    return expiry > now && expiry <= now + lifetime + minute;
  }

  return {
    async of(request) {
      const [id = '', expiry = '', signature = ''] = readCookie(request.get('cookie') ?? '').split('.');
      const expiresAt = Number(expiry);
      // The database is asked about sessions of ours alone: others are known by their signature.
      if (!same(signature, seal(`${id}.${expiry}`)) || !isCurrent(expiresAt)) return null;
      return (await revocations.isRevoked(id)) ? null : { id, expiresAt, formToken: seal(`form ${id}`) };
    },
    signIn(request, response) {
      const content = `${randomBytes(16).toString('base64url')}.${clock.now() + lifetime}`;
      setCookie(request, response, `${content}.${seal(content)}`, lifetime);
    },
    async signOut({ id, expiresAt }, request, response) {
      await revocations.revoke({ id, expiresAt, now: clock.now() });
      setCookie(request, response, '', 0);
    },
    sent: (session, formToken) => typeof formToken === 'string' && same(formToken, session.formToken),
  };
}

/** Where the form was sent over https, its cookie never travels without. */
function setCookie(request: Request, response: Response, value: string, maxAge: number): void {
  const https = request.secure || /^https:/i.test(request.get('origin') ?? '');
  const attributes = ['HttpOnly', 'SameSite=Strict', `Max-Age=${maxAge / second}`, ...(https ? ['Secure'] : [])];
  response.append('set-cookie', [`${cookieName}=${value}`, ...attributes].join('; '));
}

function readCookie(header: string): string {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1) ?? '';
}

/** Compares in constant time. */
function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
