import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';
import { minute } from '../durations.ts';
import { type CookieResponse, createSessionCookie, equalSecrets } from '../web/session-cookie.ts';

/** How long a member may take on Discord's page (ms). */
const lifetimeMs = 10 * minute;

/**
 * Binds Discord's redirect to the browser that was sent to Discord, without storage, for any process.
 * @param options.secret random; those who know it can forge cookies
 * @param options.purpose separates the keys of different cookies with the same secret
 * @param options.cookieName gets a prefix if browsers use https, by which they accept it from this host alone
 * @param options.path of the pages that read the cookie; `/` excludes cookies that another host of the domain has set
 * @param options.secure whether browsers use https
 */
export function createAuthorizationAttempts(options: {
  readonly secret: string;
  readonly purpose: string;
  readonly cookieName: string;
  readonly path: string;
  readonly secure: boolean;
  readonly clock: Clock;
}) {
  const { secret, purpose, cookieName, path, secure, clock } = options;
  const derive = (name: string) => Buffer.from(hkdfSync('sha256', secret, '', `tallyhook ${purpose} ${name}`, 32));
  const prefix = path === '/' ? '__Host-' : '__Secure-';
  const cookie = createSessionCookie({
    name: secure ? `${prefix}${cookieName}` : cookieName,
    key: derive('cookie'),
    lifetimeMs,
    // Discord's redirect comes from another site.
    sameSite: 'lax',
    path,
  });
  /** Both follow from the cookie, which only this browser has. */
  const stateOf = (id: string) => createHash('sha256').update(`state ${id}`).digest('base64url');
  const verifierKey = derive('verifier');
  const verifierOf = (id: string) => Buffer.from(hkdfSync('sha256', verifierKey, '', id, 32)).toString('base64url');

  return {
    /**
     * Sets the cookie, and returns what is sent to Discord.
     * @param data remembered in the cookie, which is signed: without dots
     */
    start(response: CookieResponse, data = '') {
      const id = randomBytes(32).toString('base64url');
      cookie.set(response, { subject: `${id}~${data}`, now: clock.now(), secure });
      return { state: stateOf(id), verifier: verifierOf(id) };
    },
    /**
     * The attempt, if the query's state belongs to the cookie, which is deleted; otherwise null. `verifier` is that of the
     * PKCE, `data` as given to `start`.
     */
    finish(
      request: Pick<IncomingMessage, 'headers'> & { readonly query: { readonly state?: unknown } },
      response: CookieResponse,
    ) {
      const session = cookie.read(request.headers.cookie, clock.now());
      cookie.clear(response, { secure });
      const { state } = request.query;
      if (session === null || typeof state !== 'string') return null;
      const [id = '', ...data] = session.subject.split('~');
      return equalSecrets(state, stateOf(id)) ? { verifier: verifierOf(id), data: data.join('~') } : null;
    },
  };
}
