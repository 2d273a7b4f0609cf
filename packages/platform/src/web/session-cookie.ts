import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import { second } from '../durations.ts';

/** A response to which cookies are added, such as one of Express. */
export interface CookieResponse {
  append(name: 'set-cookie', value: string): unknown;
}

/** The content of a genuine cookie that has not expired. */
export interface CookieSession {
  readonly subject: string;
  /** ms since the epoch. */
  readonly expiresAt: number;
  /** The CSRF token of every form of this session. */
  readonly formToken: string;
}

export type SessionCookie = ReturnType<typeof createSessionCookie>;

export interface SessionCookieOptions {
  readonly name: string;
  /** The signing key: a new key ends all sessions. */
  readonly key: Buffer | string;
  readonly lifetimeMs: number;
  readonly sameSite: 'strict' | 'lax';
  /** The path of the cookie; by default the folder of the path that sets it. */
  readonly path?: string;
}

/** A signed cookie of the form `subject.expiry.signature`, so that sessions need no storage. */
export function createSessionCookie({ name, key, lifetimeMs, sameSite, path }: SessionCookieOptions) {
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  const attributes = { name, sameSite, ...(path !== undefined && { path }) };

  return {
    /** Null if the cookie is missing, forged or expired. @param header `Cookie` @param now ms since the epoch */
    read(header: string | undefined, now: number): CookieSession | null {
      const cookie = readCookie(header, name);
      const [subject = '', expiry = '', signature = ''] = cookie.split('.');
      const expiresAt = Number(expiry);
      if (!equalSecrets(signature, sign(`${subject}.${expiry}`)) || !(expiresAt > now)) return null;
      return { subject, expiresAt, formToken: sign(`form ${subject}.${expiry}`) };
    },
    /** Starts a session. @param session `subject`: an id without a dot; `now`: ms since the epoch */
    set(
      response: CookieResponse,
      session: { readonly subject: string; readonly now: number; readonly secure: boolean },
    ) {
      const { subject, now, secure } = session;
      const content = `${subject}.${now + lifetimeMs}`;
      setCookie(response, { ...attributes, value: `${content}.${sign(content)}`, lifetimeMs, secure });
    },
    clear(response: CookieResponse, { secure }: { readonly secure: boolean }): void {
      setCookie(response, { ...attributes, value: '', lifetimeMs: 0, secure });
    },
  };
}

/** The value of a cookie; empty if it is missing. @param header `Cookie` */
export function readCookie(header: string | undefined, name: string): string {
  return parseCookie(header ?? '')[name] ?? '';
}

/** Adds a cookie that scripts cannot read. */
export function setCookie(
  response: CookieResponse,
  {
    lifetimeMs,
    ...cookie
  }: Pick<SessionCookieOptions, 'name' | 'lifetimeMs' | 'sameSite' | 'path'> & { value: string; secure: boolean },
): void {
  response.append('set-cookie', stringifySetCookie({ ...cookie, maxAge: lifetimeMs / second, httpOnly: true }));
}

/** Compares in constant time, for texts of any length. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
