import { hkdfSync, randomBytes } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import { createAuthorizationAttempts } from '@tallyhook/platform/discord-oauth/authorization-attempts';
import { OAuthClient } from '@tallyhook/platform/discord-oauth/oauth-client';
import { hour } from '@tallyhook/platform/durations';
import { plainName } from '@tallyhook/platform/truncate';
import { type CookieResponse, createSessionCookie } from '@tallyhook/platform/web/session-cookie';
import type { SessionRevocations } from '../../core/store/coordination.ts';
import { memoizedApplicationId } from '../../discord/inspection.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { pagesPath } from './slug.ts';

/** Who somebody is, and nothing else: the token is revoked at once. */
const scope = 'identify';

/** Where Discord sends members back to, below {@link pagesPath}. `me` is too short for the address of a community. */
export const signInCallback = '/me/discord-callback';

const sessionLifetimeMs = 2 * hour;
/** Characters of a name in the cookie. */
const maxNameLength = 40;

/** A member who has signed in on a public page, for all communities of the installation. */
export interface MemberSession {
  readonly id: string;
  readonly userId: string;
  /** The member's name when the member signed in. External text. */
  readonly name: string;
  readonly expiresAt: number;
  /** The CSRF token of every form of this session. */
  readonly formToken: string;
}

export type MemberSignIn = ReturnType<typeof createMemberSignIn>;

/** Sign-in of members with Discord. Methods reject with `OAuthError`, and with the errors of the store. */
export function createMemberSignIn(options: {
  readonly clientSecret: string;
  readonly publicUrl: string;
  readonly apiUrl: string;
  readonly rest: DiscordRest;
  readonly revocations: SessionRevocations;
  readonly clock: Clock;
}) {
  const { clientSecret, publicUrl, apiUrl, rest, revocations, clock } = options;
  const url = `${publicUrl}${pagesPath}`;
  const { pathname, protocol } = new URL(url);
  const secure = protocol === 'https:';
  const client = new OAuthClient({
    apiUrl: () => apiUrl,
    applicationId: memoizedApplicationId(rest),
    clientSecret,
    redirectUrl: `${url}${signInCallback}`,
  });
  const cookie = createSessionCookie({
    name: 'tallyhook_member',
    key: Buffer.from(hkdfSync('sha256', clientSecret, '', 'tallyhook member pages', 32)),
    lifetimeMs: sessionLifetimeMs,
    // Who comes from Discord has it on the next page; forms have a token besides.
    sameSite: 'lax',
    path: `${pathname}/`,
  });

  return {
    /** The public address of all pages: there are the cookies. */
    url,
    attempts: createAuthorizationAttempts({
      secret: clientSecret,
      purpose: 'member sign-in',
      cookieName: 'tallyhook_member_sign_in',
      path: `${pathname}/`,
      secure,
      clock,
    }),
    /** Discord's page on which the member gives the permission. */
    consentUrl: (attempt: { readonly state: string; readonly verifier: string }) =>
      client.authorizeUrl({ scope, ...attempt }),
    /** Begins a session of the member who has given the permission. */
    async signIn(response: CookieResponse, code: string, verifier: string): Promise<void> {
      const { id: userId, name } = await client.useOnce({ scope, code, verifier }, clock, (token) =>
        client.currentUser(token),
      );
      const shown = Buffer.from(plainName(name, maxNameLength)).toString('base64url');
      const subject = `${randomBytes(16).toString('base64url')}~${userId}~${shown}`;
      cookie.set(response, { subject, now: clock.now(), secure });
    },
    /** Null if the cookie is missing, forged, expired or revoked. @param header `Cookie` */
    async find(header: string | undefined): Promise<MemberSession | null> {
      const session = cookie.read(header, clock.now());
      if (session === null) return null;
      const [id = '', userId = '', shown = ''] = session.subject.split('~');
      if (await revocations.isRevoked(id)) return null;
      const { expiresAt, formToken } = session;
      return { id, userId, name: Buffer.from(shown, 'base64url').toString(), expiresAt, formToken };
    },
    /** Ends the session in all processes. */
    async signOut(response: CookieResponse, { id, expiresAt }: MemberSession): Promise<void> {
      await revocations.revoke({ id, expiresAt, now: clock.now() });
      cookie.clear(response, { secure });
    },
  };
}
