import express, { Router } from 'express';
import { serveAsset } from '../../platform/web/asset.ts';
import { clientKeyOf } from '../../platform/web/client-key.ts';
import { rejectCrossSiteForms } from '../../platform/web/cross-site.ts';
import { html } from '../../platform/web/html.ts';
import { HttpError, handleErrors } from '../../platform/web/http-error.ts';
import { securityHeaders } from '../../platform/web/security-headers.ts';
import type { Authentication } from '../authentication.ts';
import type { OwnerContext } from '../context.ts';
import { formRoutes } from './form-routes.ts';
import { redirectToSlash } from './middleware.ts';
import { pageRoutes } from './page-routes.ts';
import { relativeRoot, renderPage } from './render-page.ts';
import { createOwnerSessions, type OwnerSessions } from './session.ts';
import { ownerSignInRoutes } from './sign-in.ts';
import { signInLinkRoutes } from './sign-in-links.ts';

const assetOptions = { cacheControl: 'private, max-age=3600' };

/**
 * The owner's console, to be mounted at `/owner`: pages over the same queries and actions as the API. They use no
 * JavaScript.
 */
export function createConsole(token: string, context: OwnerContext, authentication: Authentication): Router {
  const sessions = createOwnerSessions(token, context.sessions, context.clock);
  const router = Router({ strict: true });
  router.use(pageHeaders, redirectToSlash);
  router.get('/console.css', serveAsset(new URL('./console.css', import.meta.url), assetOptions));
  router.get('/icon.svg', serveAsset(new URL('./console-icon.svg', import.meta.url), assetOptions));
  router.use((request, _response, next) => {
    authentication.countRequest(clientKeyOf(request.ip));
    next();
  });
  router.use(sameOriginForms, express.urlencoded({ extended: false, limit: '16kb' }));
  router.use(
    ...(context.signInLinks ? [signInLinkRoutes(context.signInLinks, sessions)] : []),
    ownerSignInRoutes(context, authentication, sessions),
    pageRoutes(context, sessions),
    formRoutes(context, sessions),
  );
  router.use(() => {
    throw new HttpError(404, 'The console has no such page.');
  });
  router.use(sendErrorPages(context, sessions));
  return router;
}

/** Only the console's own stylesheet, icon and forms; no scripts. */
const pageHeaders = securityHeaders({
  contentSecurityPolicy: {
    'default-src': ["'none'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  },
  referrerPolicy: 'no-referrer',
});

const sameOriginForms = rejectCrossSiteForms({
  message: 'This form was not sent from a page of this console. A proxy in front of it must preserve the Host header.',
  allowOpaqueOrigin: true,
});

const titles: Readonly<Record<number, string>> = { 403: 'Not allowed', 404: 'Not found', 429: 'Too many requests' };

function sendErrorPages({ log }: OwnerContext, sessions: OwnerSessions) {
  return handleErrors({
    unexpected: new HttpError(503, 'The database is unavailable, or an unexpected error occurred. See the log.', 5),
    log,
    logMessage: 'console page failed',
    async send({ status, message }, request, response, isExpected) {
      const title = isExpected ? (titles[status] ?? 'Request failed') : 'Unexpected error';
      renderPage(request, response, {
        title,
        session: await sessions.find(request).catch(() => null),
        body: html`<h1>${title}</h1><p dir="auto">${message}</p><p><a href="${relativeRoot(request.path)}">Back to the overview</a></p>`,
      });
    },
  });
}
