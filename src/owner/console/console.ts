import express, { type ErrorRequestHandler, Router } from 'express';
import { messageOf } from '../../platform/errors.ts';
import { html } from '../../web/html.ts';
import type { Authentication } from '../authentication.ts';
import { clientKeyOf } from '../client-key.ts';
import type { OwnerContext } from '../context.ts';
import { HttpError, toHttpError } from '../http-error.ts';
import { formRoutes } from './form-routes.ts';
import { icon } from './icon.ts';
import { redirectToSlash, sameOriginForms, securityHeaders } from './middleware.ts';
import { pageRoutes } from './page-routes.ts';
import { renderPage, upFrom } from './render-page.ts';
import { createOwnerSessions, type OwnerSessions } from './session.ts';
import { ownerSignInRoutes } from './sign-in.ts';
import { stylesheet } from './stylesheet.ts';

/** The owner's console: pages over what the API answers, to be mounted at `/owner`. They need no JavaScript, and the policy allows none. */
export function createConsole(token: string, services: OwnerContext, gate: Authentication): Router {
  const sessions = createOwnerSessions(token, services.sessions, services.clock);
  const router = Router({ strict: true });
  router.use(securityHeaders, redirectToSlash);
  router.get('/console.css', (_request, response) => {
    response.type('css').set('Cache-Control', 'private, max-age=3600').send(stylesheet);
  });
  router.get('/icon.svg', (_request, response) => {
    response.type('svg').set('Cache-Control', 'private, max-age=3600').send(icon);
  });
  router.use((request, _response, next) => {
    gate.pass(clientKeyOf(request.ip));
    next();
  });
  router.use(sameOriginForms, express.urlencoded({ extended: false, limit: '16kb' }));
  router.use(
    ownerSignInRoutes(services, gate, sessions),
    pageRoutes(services, sessions),
    formRoutes(services, sessions),
  );
  router.use(() => {
    throw new HttpError(404, 'The console has no such page.');
  });
  router.use(tell(services, sessions));
  return router;
}

/** The one place where a failure becomes a page. What nobody foresaw is logged whole and told as nothing. */
function tell({ log }: OwnerContext, sessions: OwnerSessions): ErrorRequestHandler {
  return async (thrown: unknown, request, response, _next) => {
    const refusal = toHttpError(thrown);
    if (refusal === null) log.error({ error: messageOf(thrown) }, 'a page of the console failed');
    const wait = refusal === null ? 5 : refusal.retryAfter;
    if (wait !== null) response.set('retry-after', String(wait));
    response.status(refusal?.status ?? 503);
    const title = refusal === null ? 'Something broke here' : (titles[refusal.status] ?? 'That did not work');
    const text = refusal?.message ?? 'The database does not answer, or something broke; it is in the log.';
    const back = html`<p><a href="${upFrom(request.path)}">To the overview</a></p>`;
    renderPage(request, response, {
      title,
      session: await sessions.of(request).catch(() => null),
      body: html`<h1>${title}</h1><p dir="auto">${text}</p>${back}`,
    });
  };
}

const titles: Readonly<Record<number, string>> = { 403: 'Not allowed', 404: 'Not found', 429: 'Too many requests' };
