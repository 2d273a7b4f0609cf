import type { Request, RequestHandler, Response } from 'express';
import { isFromElsewhere } from '../../web/same-origin.ts';
import { HttpError } from '../http-error.ts';
import { upFrom } from './render-page.ts';
import type { OwnerSession, OwnerSessions } from './session.ts';

/** What the policy allows: nothing but the console's own stylesheet, icon and forms. There is no script. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'Content-Security-Policy':
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  });
  next();
};

/** All links are relative, so the front page's hold only where its address ends in a slash. */
export const redirectToSlash: RequestHandler = ({ path, originalUrl }, response, next) => {
  const place = path === '/' ? placeWithoutSlash(originalUrl) : null;
  if (place === null) return next();
  response.redirect(303, `${place}/`);
};

/** The last step of an address's path; null where the path ends in a slash already. */
export function placeWithoutSlash(url: string): string | null {
  const [path = ''] = url.split('?', 1);
  return path.slice(path.lastIndexOf('/') + 1) || null;
}

/**
 * Refuses forms that another site sent. Over plain http a browser may say no more than `Origin: null`, since our pages ask it to tell
 * nobody where they are; then the form's token and the cookie, which is for this site only, decide.
 */
export const sameOriginForms: RequestHandler = ({ method, headers }, _response, next) => {
  const silent = headers['sec-fetch-site'] === undefined && headers.origin === 'null';
  if (method === 'POST' && !silent && isFromElsewhere(headers)) {
    throw new HttpError(
      403,
      'This form was not sent from a page of this console. A proxy in front of it has to keep the Host header.',
    );
  }
  next();
};

type Handler = (request: Request, response: Response, session: OwnerSession) => Promise<void> | void;

/** The two ways into the console's pages. Both end at the sign-in for whoever is not signed in. */
export function requireSession(sessions: OwnerSessions): {
  seen(handler: Handler): RequestHandler;
  sent(handler: Handler): RequestHandler;
} {
  return {
    /** A page that is looked at. */
    seen: (handler) => async (request, response) => {
      const session = await sessions.of(request);
      if (session !== null) return handler(request, response, session);
      const next = request.url.slice(1);
      response.redirect(303, `${upFrom(request.path)}sign-in${next && `?next=${encodeURIComponent(next)}`}`);
    },
    /** A form that is sent. */
    sent: (handler) => async (request, response) => {
      const session = await sessions.of(request);
      const { token } = (request.body ?? {}) as { readonly token?: unknown };
      if (session === null || !sessions.sent(session, token)) {
        throw new HttpError(403, 'Your session has ended. Sign in and send the form again.');
      }
      return handler(request, response, session);
    },
  };
}
