import type { Request, RequestHandler, Response } from 'express';
import { hasFormToken } from '../../platform/web/form-token.ts';
import { HttpError } from '../../platform/web/http-error.ts';
import { relativeRoot } from './render-page.ts';
import type { OwnerSession, OwnerSessions } from './session.ts';

/** Redirects `/owner` to `/owner/`, since the overview's relative links need the slash. */
export const redirectToSlash: RequestHandler = ({ path, originalUrl }, response, next) => {
  const segment = path === '/' ? lastSegmentWithoutSlash(originalUrl) : null;
  if (segment === null) return next();
  response.redirect(303, `${segment}/`);
};

/** The last segment of a URL's path; null if the path ends in a slash. */
export function lastSegmentWithoutSlash(url: string): string | null {
  const [path = ''] = url.split('?', 1);
  return path.slice(path.lastIndexOf('/') + 1) || null;
}

type SessionHandler = (request: Request, response: Response, session: OwnerSession) => Promise<void> | void;

/** Middleware for pages and forms that require a signed-in owner. */
export interface SessionMiddleware {
  /** For pages. Without a session it redirects to the sign-in page. */
  requireSession(handler: SessionHandler): RequestHandler;
  /** For forms. Without a session or with a wrong CSRF token it responds with 403. */
  requireForm(handler: SessionHandler): RequestHandler;
}

export function sessionMiddleware(sessions: OwnerSessions): SessionMiddleware {
  return {
    requireSession: (handler) => async (request, response) => {
      const session = await sessions.find(request);
      if (session !== null) return handler(request, response, session);
      const next = request.url.slice(1);
      response.redirect(303, `${relativeRoot(request.path)}sign-in${next && `?next=${encodeURIComponent(next)}`}`);
    },
    requireForm: (handler) => async (request, response) => {
      const session = await sessions.find(request);
      if (session === null || !hasFormToken(request.body, session)) {
        throw new HttpError(403, 'Your session has ended. Sign in and send the form again.');
      }
      return handler(request, response, session);
    },
  };
}
