import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express';
import { messageOf, StoreUnavailableError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { retryAfterUnavailable } from '../api/api-error.ts';
import { dashboardRoutes } from './dashboard-routes.ts';
import { type PageDependencies, renderServicePage } from './dependencies.ts';
import { errorPage } from './error-page.ts';
import { notFound, PageError } from './page-error.ts';
import { publicRoutes } from './public-routes.ts';
import { ownHostOnly, sameOriginOnly } from './same-origin.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { stylesheet } from './stylesheet.ts';

/** All pages. They need no JavaScript, and the policy allows none. @param origin where the service is reached */
export function pagesRouter(rooms: PageDependencies, log: Log, origin: string): Router {
  const router = express.Router();
  router.use(guard);
  if (rooms.actAsMembers) router.use(ownHostOnly(origin));
  router.get('/assets/service.css', (_request, response) => {
    response.type('css').set('Cache-Control', 'public, max-age=3600').send(stylesheet);
  });
  router.use(sameOriginOnly);
  router.use(express.urlencoded({ extended: false, limit: '32kb' }));
  router.use(publicRoutes(rooms));
  router.use(signInRoutes(rooms));
  router.use(dashboardRoutes(rooms));
  router.use(() => {
    throw notFound();
  });
  router.use(tell(rooms, log));
  return router;
}

const guard: RequestHandler = (_request, response, next) => {
  response.set({
    'Content-Security-Policy':
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  });
  next();
};

/** The one place where a failure becomes a page. What nobody foresaw is logged whole and told as nothing. */
function tell({ sessions, sending }: PageDependencies, log: Log): ErrorRequestHandler {
  return async (thrown: unknown, request, response, _next) => {
    const fault = foreseen(thrown);
    if (!fault) log.error({ error: messageOf(thrown) }, 'page failed');
    const title = fault ? (titles[fault.status] ?? 'That did not work') : 'Something went wrong';
    const message = fault?.message ?? 'Unexpected error. Please try again later.';
    const visitor = await sessions.visitor(request, sending.clock.now()).catch(() => null);
    response.status(fault?.status ?? 500);
    if (fault?.status === 503) response.set('Retry-After', String(retryAfterUnavailable));
    renderServicePage(request, response, { title, visitor, body: errorPage(title, message, cameFrom(request)) });
  };
}

/** The page of this service on which the visitor was; the front page where it is unknown. */
function cameFrom(request: Request): string {
  const referer = request.get('referer') ?? '';
  if (!URL.canParse(referer)) return '/';
  const { host, pathname } = new URL(referer);
  return host === request.get('host') ? pathname.replace(/^\/+/, '/') : '/';
}

const titles: Readonly<Record<number, string>> = { 403: 'Not allowed', 404: 'Not found' };

function foreseen(thrown: unknown): PageError | null {
  if (thrown instanceof PageError) return thrown;
  if (thrown instanceof URIError) return notFound();
  if (thrown instanceof StoreUnavailableError) {
    return new PageError(503, 'Nothing can be stored at the moment. Please try again in a few seconds.');
  }
  // What the form reader refuses: too large, a wrong encoding, a client that went away.
  const status = thrown instanceof Error && 'status' in thrown ? thrown.status : null;
  if (status === 413) return new PageError(413, 'This form is too large.');
  return typeof status === 'number' && status < 500 ? new PageError(400, 'This form cannot be read.') : null;
}
