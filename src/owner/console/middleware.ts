import { messageOf } from '@tallyhook/platform/errors';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { defaultLocale, isEnglish } from '@tallyhook/platform/texts/locale';
import { hasFormToken } from '@tallyhook/platform/web/form-token';
import { HttpError } from '@tallyhook/platform/web/http-error';
import type { Request, RequestHandler, Response } from 'express';
import { type Texts, textsIn } from '../../texts/texts.ts';
import type { OwnerContext } from '../context.ts';
import { scopeContext } from '../scope-context.ts';
import { consoleRoot, showTimesOf } from './render-page.ts';
import type { OwnerSession, OwnerSessions, Visit } from './session.ts';

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

type VisitHandler = (request: Request, response: Response, visit: Visit) => Promise<void> | void;

export interface SessionMiddleware {
  /** For pages. Without a session it redirects to the sign-in page. */
  requireSession(handler: VisitHandler): RequestHandler;
  /** For forms. Without a session or with a wrong CSRF token it responds with 403. */
  requireForm(handler: VisitHandler): RequestHandler;
}

/** @param everything the operator's context: below `/servers/:guildId`, handlers get the part of that community */
export function sessionMiddleware(sessions: OwnerSessions, everything: OwnerContext): SessionMiddleware {
  const { guilds, log } = everything;

  async function visitOf(session: OwnerSession, request: Request): Promise<Visit> {
    const visit = await findVisit(session, request.params['guildId']);
    showTimesOf(timeZoneOf(visit.context), request);
    return visit;
  }

  async function findVisit(session: OwnerSession, guildId: unknown): Promise<Visit> {
    const { member } = session;
    if (guildId === undefined && member === null) {
      return { ...session, context: everything, visitor: null, guildName: null };
    }
    const scope = isSnowflake(guildId) ? guilds.scopeOf(guildId) : null;
    const visitor = scope === null || member === null ? null : await findManager(scope.guildId, member.userId);
    // The same for a server without a community, so that nobody finds out which servers have one.
    if (scope === null || (member !== null && visitor === null)) throw notAllowed(member !== null);
    const details = await guilds.reader?.guild(scope.guildId).catch(() => null);
    return { ...session, context: scopeContext(everything, scope), visitor, guildName: details?.name ?? null };
  }

  async function findManager(guildId: string, userId: string): Promise<Visit['visitor']> {
    try {
      const found = await guilds.reader?.member(guildId, userId);
      return found?.isManager === true ? found : null;
    } catch (error) {
      log.warn({ guild: guildId, reason: messageOf(error) }, 'the permissions of a member could not be read');
      throw new HttpError(503, 'Discord does not say at the moment who manages this server. Please try again.', 15);
    }
  }

  return {
    requireSession: (handler) => async (request, response) => {
      const session = await sessions.find(request);
      if (session !== null) {
        return handler(request, response, await visitOf(session, request));
      }
      const { guildId } = request.params;
      const next = `${typeof guildId === 'string' ? `servers/${guildId}/` : ''}${request.url.slice(1)}`;
      response.redirect(303, `${consoleRoot(request)}sign-in${next && `?next=${encodeURIComponent(next)}`}`);
    },
    requireForm: (handler) => async (request, response) => {
      const session = await findFormSession(sessions, request);
      return handler(request, response, await visitOf(session, request));
    },
  };
}

/** The time zone of the community; for several, UTC unless all have the same. */
function timeZoneOf({ listings }: OwnerContext): string {
  const [only = 'UTC', ...others] = new Set(listings().map(({ timeZone }) => timeZone));
  return others.length === 0 ? only : 'UTC';
}

export async function findFormSession(sessions: OwnerSessions, request: Request): Promise<OwnerSession> {
  const session = await sessions.find(request);
  if (session !== null && hasFormToken(request.body, session)) return session;
  throw new ConsoleError(403, ({ text }) => text('console.errors.sessionEnded'));
}

function notAllowed(isMember: boolean): HttpError {
  return isMember
    ? new ConsoleError(403, ({ text }) => text('console.errors.notManaged'))
    : new HttpError(404, 'No listing belongs to this server.');
}

/** An error that the console explains in every language. */
export class ConsoleError extends HttpError {
  readonly explain: (texts: Texts) => string;

  constructor(status: HttpError['status'], explain: (texts: Texts) => string, retryAfterSeconds: number | null = null) {
    super(status, explain(textsIn(defaultLocale)), retryAfterSeconds);
    this.explain = explain;
  }
}

/** In the language of the page; details that only English has are replaced by what the status says. */
export function explainError(error: HttpError, texts: Texts): string {
  if (error instanceof ConsoleError) return error.explain(texts);
  if (isEnglish(texts.locale)) return error.message;
  const { text } = texts;
  if (error.status === 500) return text('failure.needsOperator');
  if (error.status >= 500) return text('webPage.unavailable');
  const byStatus: Readonly<Record<number, string>> = {
    404: text('console.errors.notFound'),
    409: text('console.errors.conflict'),
    429: text('webPage.tooMany'),
  };
  return byStatus[error.status] ?? text('console.errors.invalid');
}
