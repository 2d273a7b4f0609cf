import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { type Clock, hour, minute, second } from '../../clock.ts';

/** An owner who is signed in. */
export interface Session {
  readonly id: string;
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
export interface Sessions {
  /** Null for a visitor who is not signed in, or whose cookie is spent or forged. */
  of(request: Request): Session | null;
  signIn(request: Request, response: Response): void;
  /** This process takes the session no more, whoever kept a copy of the cookie. */
  signOut(session: Session, request: Request, response: Response): void;
  /** Whether a form carries the token of the session. */
  sent(session: Session, formToken: unknown): boolean;
}

/** Deriving the key stops this thread for a moment, so it is done once. */
export function createSessions(token: string, clock: Clock): Sessions {
  const key = scryptSync(token, 'tallyhook owner console', 32);
  const seal = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  /** Sessions that were signed out, until they would have ended by themselves (ms since the epoch). */
  const ended = new Map<string, number>();

  /** One that would last too long began before the clock was set back, and nobody knows when. Clocks of processes may differ a little. */
  function isCurrent(expiry: number): boolean {
    const now = clock.now();
    return expiry > now && expiry <= now + lifetime + minute;
  }

  return {
    of(request) {
      const [id = '', expiry = '', signature = ''] = readCookie(request.get('cookie') ?? '').split('.');
      if (!same(signature, seal(`${id}.${expiry}`)) || !isCurrent(Number(expiry)) || ended.has(id)) return null;
      return { id, formToken: seal(`form ${id}`) };
    },
    signIn(request, response) {
      const content = `${randomBytes(16).toString('base64url')}.${clock.now() + lifetime}`;
      setCookie(request, response, `${content}.${seal(content)}`, lifetime);
    },
    signOut({ id }, request, response) {
      const now = clock.now();
      for (const [old, until] of ended) if (until <= now) ended.delete(old);
      ended.set(id, now + lifetime);
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
