import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Clock } from '../platform/clock.ts';
import { minute } from '../platform/durations.ts';
import { createSessionCookie, equalSecrets } from '../web/session-cookie.ts';

/** How long a member may take on Discord's page (ms). */
const lifetimeMs = 10 * minute;

/** Binds Discord's redirect to the browser that was sent to Discord, without storage, for any process. */
export interface LinkSessions {
  /** Sets the cookie, and returns what is sent to Discord. */
  start(response: Response): { readonly state: string; readonly verifier: string };
  /** The verifier of the PKCE, if the state belongs to the cookie, which is deleted; otherwise null. */
  finish(request: Request, response: Response): string | null;
}

/** @param options.secure whether browsers use https; then the cookie is of this host alone */
export function createLinkSessions(options: {
  readonly clientSecret: string;
  readonly path: string;
  readonly secure: boolean;
  readonly clock: Clock;
}): LinkSessions {
  const { clientSecret, path, secure, clock } = options;
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', clientSecret, '', `tallyhook ${purpose}`, 32));
  const cookie = createSessionCookie({
    name: secure ? '__Secure-linked-roles' : 'linked-roles',
    key: derive('linked roles cookie'),
    lifetimeMs,
    // Discord's redirect comes from another site.
    sameSite: 'lax',
    path,
  });
  /** Both follow from the cookie, which only this browser has. */
  const stateOf = (id: string) => createHash('sha256').update(`state ${id}`).digest('base64url');
  const verifierKey = derive('linked roles verifier');
  const verifierOf = (id: string) => Buffer.from(hkdfSync('sha256', verifierKey, '', id, 32)).toString('base64url');

  return {
    start(response) {
      const id = randomBytes(32).toString('base64url');
      cookie.set(response, { subject: id, now: clock.now(), secure });
      return { state: stateOf(id), verifier: verifierOf(id) };
    },
    finish(request, response) {
      const session = cookie.read(request.headers.cookie, clock.now());
      cookie.clear(response, { secure });
      const { state } = request.query;
      if (session === null || typeof state !== 'string' || !equalSecrets(state, stateOf(session.subject))) return null;
      return verifierOf(session.subject);
    },
  };
}
