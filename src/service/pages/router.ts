import express, { type Request, type RequestHandler, type Router } from 'express';
import { StoreUnavailableError } from '../../platform/errors.ts';
import { serveAsset } from '../../platform/web/asset.ts';
import { rejectCrossSiteForms } from '../../platform/web/cross-site.ts';
import { isOwnHost } from '../../platform/web/host.ts';
import { html } from '../../platform/web/html.ts';
import { HttpError, handleErrors, toHttpError } from '../../platform/web/http-error.ts';
import { securityHeaders } from '../../platform/web/security-headers.ts';
import type { VoteChallenge } from '../abuse/vote-challenge.ts';
import { retryAfterUnavailable } from '../api/api-error.ts';
import { consentRoutes } from '../connect/consent-routes.ts';
import { discordSignInRoutes } from '../discord-sign-in/routes.ts';
import { dashboardRoutes } from './dashboard/dashboard-routes.ts';
import { iconRoute } from './icon-routes.ts';
import { memberDataRoutes } from './member-data-routes.ts';
import { moderationRoutes } from './moderation/moderation-routes.ts';
import { type PageDependencies, pageNotFound } from './page-routes.ts';
import { publicRoutes } from './public-routes.ts';
import { renderServicePage } from './render-page.ts';
import { reviewRoutes } from './review-routes.ts';
import { signInRoutes } from './sign-in.ts';

/** All pages. They use no JavaScript, except for the challenge of votes. @param origin the public URL of the service */
export function pagesRouter(dependencies: PageDependencies, origin: string): Router {
  const router = express.Router();
  router.use(createPageHeaders({}));
  if (dependencies.actAsMembers) router.use(requireOwnHost(origin));
  const caching = { cacheControl: 'public, max-age=3600' };
  router.get('/assets/service.css', serveAsset(new URL('./service.css', import.meta.url), caching));
  router.get('/assets/icon.svg', serveAsset(new URL('./icon.svg', import.meta.url), caching));
  if (dependencies.challenge !== null) router.use(challengeRoutes(dependencies.challenge));
  router.use(rejectCrossSiteForms({ message: 'This form was not sent from a page of this service.' }));
  // The longest form has 6,600 characters, and one of Chinese or Hindi takes nine bytes in a form.
  router.use(express.urlencoded({ extended: false, limit: '80kb' }));
  router.use(publicRoutes(dependencies));
  router.use(reviewRoutes(dependencies));
  const { discord } = dependencies;
  if (discord !== null) router.use(discordSignInRoutes(dependencies, discord));
  router.use(signInRoutes(dependencies));
  router.use(consentRoutes(dependencies));
  router.use(iconRoute(dependencies));
  router.use(memberDataRoutes(dependencies));
  router.use(dashboardRoutes(dependencies));
  router.use(moderationRoutes(dependencies));
  router.use(() => {
    throw pageNotFound();
  });
  router.use(sendErrorPages(dependencies));
  return router;
}

/** Only the service's own stylesheet and forms; no scripts. @param additional sources by directive */
function createPageHeaders(additional: Readonly<Record<string, readonly string[]>>) {
  const own: Readonly<Record<string, readonly string[]>> = {
    'default-src': ["'none'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  };
  const sources = (directive: string) => [...new Set([...(own[directive] ?? []), ...(additional[directive] ?? [])])];
  const directives = Object.keys({ ...own, ...additional }).map((directive) => [directive, sources(directive)]);
  return securityHeaders({ contentSecurityPolicy: Object.fromEntries(directives), referrerPolicy: 'same-origin' });
}

/** The scripts of the challenge, which only the pages of listings may use. */
function challengeRoutes({ assets = {}, contentSecurityPolicy = {} }: VoteChallenge): Router {
  const router = express.Router();
  router.get(['/servers/:id', '/bots/:id'], createPageHeaders(contentSecurityPolicy));
  for (const [path, file] of Object.entries(assets)) {
    router.get(path, serveAsset(file, { cacheControl: 'public, max-age=3600' }));
  }
  return router;
}

/** Without authentication, another site must not reach these pages by its own host name (DNS rebinding). */
function requireOwnHost(origin: string): RequestHandler {
  return ({ headers }, _response, next) => {
    if (!isOwnHost(headers.host, origin)) throw wrongHost;
    next();
  };
}

const wrongHost = new HttpError(
  403,
  'Every visitor may act as any member here, so these pages accept only the host names of this machine. Set another host name with --public-url.',
);

const titles: Readonly<Record<number, string>> = {
  400: 'That did not work',
  403: 'Not allowed',
  404: 'Not found',
  409: 'That is not possible',
  413: 'Too large',
  429: 'Too many requests',
  503: 'Not available at the moment',
};

function sendErrorPages({ sessions, clock, log }: PageDependencies) {
  return handleErrors({
    toHttpError: toPageError,
    unexpected: new HttpError(500, 'Unexpected error. Please try again later.'),
    log,
    logMessage: 'page failed',
    async send({ status, message }, request, response, isExpected) {
      const title = isExpected ? (titles[status] ?? 'Request failed') : 'Unexpected error';
      const visitor = await sessions.visitor(request, clock.now()).catch(() => null);
      const body = html`<h1>${title}</h1><p>${message}</p><p><a href="${previousPath(request)}">Go back</a></p>`;
      renderServicePage(request, response, { title, visitor, body });
    },
  });
}

function toPageError(thrown: unknown): HttpError | null {
  if (thrown instanceof URIError) return pageNotFound();
  if (thrown instanceof StoreUnavailableError) {
    const message = 'The database is unavailable at the moment. Please try again in a few seconds.';
    return new HttpError(503, message, retryAfterUnavailable);
  }
  const error = toHttpError(thrown);
  return error?.status === 415 ? new HttpError(400, error.message) : error;
}

/** The path of the previous page of this service, by the `Referer` header; otherwise the home page. */
function previousPath(request: Request): string {
  const referer = request.get('referer') ?? '';
  if (!URL.canParse(referer)) return '/';
  const { host, pathname } = new URL(referer);
  return host === request.get('host') ? pathname.replace(/^\/+/, '/') : '/';
}
