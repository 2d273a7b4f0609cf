import { StoreUnavailableError, TallyhookError } from '@tallyhook/platform/errors';
import { baseStyles, serveAsset } from '@tallyhook/platform/web/asset';
import { rejectCrossSiteForms } from '@tallyhook/platform/web/cross-site';
import { isOwnHost } from '@tallyhook/platform/web/host';
import { html } from '@tallyhook/platform/web/html';
import { type HttpError, handleErrors, toHttpError } from '@tallyhook/platform/web/http-error';
import { securityHeaders } from '@tallyhook/platform/web/security-headers';
import express, { type Request, type RequestHandler, type Router } from 'express';
import type { VoteChallenge } from '../abuse/vote-challenge.ts';
import { retryAfterUnavailable } from '../api/api-error.ts';
import { consentRoutes } from '../connect/consent-routes.ts';
import { discordSignInRoutes } from '../discord-sign-in/routes.ts';
import { withAccent } from '../face/accent.ts';
import type { ServiceFace } from '../face/face.ts';
import { PageError } from '../texts/page-error.ts';
import { isServiceTextIn } from '../texts/texts.ts';
import { copyScriptPath } from './copyable.ts';
import { dashboardRoutes } from './dashboard/dashboard-routes.ts';
import { iconRoute } from './icon-routes.ts';
import { rememberLanguage, textsOf } from './language.ts';
import { legalRoutes } from './legal-pages.ts';
import { memberDataRoutes } from './member-data-routes.ts';
import { moderationRoutes } from './moderation/moderation-routes.ts';
import { type PageDependencies, pageNotFound } from './page-routes.ts';
import { previewRoutes } from './previews/preview-routes.ts';
import { publicRoutes } from './public-routes.ts';
import { logoPath, renderServicePage } from './render-page.ts';
import { reviewRoutes } from './review-routes.ts';
import { signInRoutes } from './sign-in.ts';
import { sitemapRoutes } from './sitemap-routes.ts';

/** All pages. They use JavaScript for the challenge of votes and the buttons that copy only. */
export function pagesRouter(dependencies: PageDependencies): Router {
  const { origin, face } = dependencies;
  const router = express.Router();
  router.use(createPageHeaders({}));
  if (dependencies.actAsMembers) router.use(requireOwnHost(origin));
  router.use(previewRoutes(dependencies));
  router.use(sitemapRoutes(dependencies));
  router.use(rememberLanguage({ secure: origin.startsWith('https:') }));
  const caching = { cacheControl: 'public, max-age=3600' };
  const edit = (css: string) => (face.accent === undefined ? css : withAccent(css, face.accent));
  const styles = new URL('./service.css', import.meta.url);
  router.get('/assets/service.css', serveAsset(styles, { ...caching, before: baseStyles(), edit }));
  router.get('/assets/icon.svg', serveAsset(new URL('./icon.svg', import.meta.url), caching));
  router.get(copyScriptPath, serveAsset(new URL('./copy.browser.js', import.meta.url), caching));
  router.use('/dashboard/:id', createPageHeaders({ 'script-src': ["'self'"] }));
  if (face.logo !== undefined) router.get(logoPath, serveLogo(face.logo));
  if (dependencies.challenge !== null) router.use(challengeRoutes(dependencies.challenge));
  router.use(rejectCrossSiteForms({ message: 'sent from another site' }));
  // The longest form has 6,600 characters, and one of Chinese or Hindi takes nine bytes in a form.
  router.use(express.urlencoded({ extended: false, limit: '80kb' }));
  router.use(publicRoutes(dependencies));
  router.use(legalRoutes(dependencies));
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

/** Headers that allow the service's own stylesheet, pictures and forms alone. @param additional sources by directive */
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

/** The operator's logo. Opened by its address, it is a picture without scripts, also as SVG. */
function serveLogo({ type, bytes }: NonNullable<ServiceFace['logo']>): RequestHandler {
  const headers = {
    'Content-Type': type,
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'Cache-Control': 'public, max-age=3600',
  };
  return (_request, response) => void response.set(headers).send(Buffer.from(bytes));
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

/** For the operator, so in English. */
const wrongHost = new PageError(
  403,
  () =>
    'Every visitor may act as any member here, so these pages accept only the host names of this machine. Set another host name with --public-url.',
);

function sendErrorPages({ sessions, clock, log, face }: PageDependencies) {
  return handleErrors({
    toHttpError: toPageError,
    unexpected: new PageError(500, ({ text }) => text('errors.unexpectedHint')),
    log,
    logMessage: 'page failed',
    async send(error, request, response, isExpected) {
      const texts = textsOf(request);
      const { text } = texts;
      const status = String(error.status);
      const ownTitle = text(isServiceTextIn('errors.titles', status) ? `errors.titles.${status}` : 'errors.failed');
      const title = isExpected ? ownTitle : text('errors.unexpected');
      const visitor = await sessions.visitor(request, clock.now()).catch(() => null);
      const message = error instanceof PageError ? error.explain(texts) : error.message;
      const body = html`<h1>${title}</h1><p>${message}</p><p><a href="${previousPath(request)}">${text('frame.goBack')}</a></p>`;
      renderServicePage(request, response, { title, visitor, body, face });
    },
  });
}

/** Errors of the parsers and of other parts have English messages for programs. */
function toPageError(thrown: unknown): HttpError | null {
  if (thrown instanceof PageError) return thrown;
  if (thrown instanceof URIError) return pageNotFound();
  // It was deleted meanwhile.
  if (thrown instanceof TallyhookError && thrown.code === 'unknown_listing') return pageNotFound();
  if (thrown instanceof StoreUnavailableError) {
    return new PageError(503, ({ text }) => text('errors.database'), retryAfterUnavailable);
  }
  switch (toHttpError(thrown)?.status) {
    case undefined:
      return null;
    case 403:
      return new PageError(403, ({ text }) => text('errors.foreignForm'));
    case 413:
      return new PageError(413, ({ text }) => text('errors.tooLarge'));
    default:
      return new PageError(400, ({ text }) => text('errors.unreadable'));
  }
}

/** The path of the previous page of this service, by the `Referer` header; otherwise the home page. */
function previousPath(request: Request): string {
  const referer = request.get('referer') ?? '';
  if (!URL.canParse(referer)) return '/';
  const { host, pathname } = new URL(referer);
  return host === request.get('host') ? pathname.replace(/^\/+/, '/') : '/';
}
