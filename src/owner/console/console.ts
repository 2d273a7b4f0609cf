import { botIcon, lookStyles, serveAsset } from '@tallyhook/platform/web/asset';
import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { rejectCrossSiteForms } from '@tallyhook/platform/web/cross-site';
import { html } from '@tallyhook/platform/web/html';
import { HttpError, handleErrors } from '@tallyhook/platform/web/http-error';
import { securityHeaders } from '@tallyhook/platform/web/security-headers';
import express, { type RequestHandler, Router } from 'express';
import { messageStyles, readScript, readSharedScript } from 'local-discord/messages';
import type { Authentication, DiscordSignIn } from '../authentication.ts';
import type { OwnerContext } from '../context.ts';
import { explainError, redirectToSlash, sessionMiddleware } from './middleware.ts';
import { formRoutes, pageRoutes, serverRoutes } from './page-routes.ts';
import { relativeRoot, renderPage, speaking, textsOf } from './render-page.ts';
import { createOwnerSessions, type OwnerSessions } from './session.ts';
import { previewScript } from './settings/previews-html.ts';
import { settingsRoutes } from './settings/routes.ts';
import { memberSignInRoutes, ownerSignInRoutes, signInLinkRoutes, startPath } from './sign-in.ts';

export const assetOptions = { cacheControl: 'private, max-age=3600' };

export interface ConsoleAccess {
  /** The `OWNER_TOKEN`; null without one. */
  readonly token: string | null;
  /** For those who manage a server; null if it is not configured. */
  readonly discord: DiscordSignIn | null;
  /** Counts requests, and wrong tokens together with the API. */
  readonly authentication: Authentication;
}

/** The owner's console, to be mounted at `/owner`. Only previews of messages need JavaScript. */
export function createConsole({ token, discord, authentication }: ConsoleAccess, context: OwnerContext): Router {
  const secrets = { token, clientSecret: discord?.clientSecret ?? null };
  const sessions = createOwnerSessions(secrets, context.sessions, context.clock);
  const middleware = sessionMiddleware(sessions, context);
  const pages = [pageRoutes(middleware), formRoutes(middleware), settingsRoutes(middleware)];
  const discordUrl = discord && `${discord.url}/${startPath}`;
  const router = Router({ strict: true });
  router.use(speaking(context.languages), pageHeaders, redirectToSlash);
  router.get(
    '/console.css',
    serveAsset(new URL('./console.css', import.meta.url), { ...assetOptions, before: lookStyles() }),
  );
  router.get('/picture.svg', serveAsset(new URL('./picture.svg', import.meta.url), assetOptions));
  router.get('/icon.svg', serveAsset(botIcon(), assetOptions));
  router.get('/messages.css', serveAsset(messageStyles(), assetOptions));
  router.get(
    '/previews.js',
    serveScript(() => readScript(previewScript)),
  );
  router.get('/messages.js', serveScript(readSharedScript));
  router.use(async (request, _response, next) => {
    await authentication.countRequest(clientKeyOf(request.ip));
    next();
  });
  router.use(sameOriginForms, express.urlencoded({ extended: false, limit: '64kb' }));
  router.use(
    ...(context.signInLinks ? [signInLinkRoutes(context.signInLinks, sessions)] : []),
    ownerSignInRoutes(context, { authentication: token === null ? null : authentication, discordUrl }, sessions),
    ...(discord === null ? [] : [memberSignInRoutes(discord, context, sessions, authentication)]),
    serverRoutes(context, sessions),
  );
  router.use('/servers/:guildId', redirectToSlash, ...pages);
  router.use(...pages);
  router.use(() => {
    throw new HttpError(404, 'The console has no such page.');
  });
  router.use(sendErrorPages(context, sessions));
  return router;
}

/** The script is bundled or read when somebody asks for it. */
function serveScript(read: () => Promise<string | null>): RequestHandler {
  let reading: Promise<string | null> | undefined;
  return async (_request, response, next) => {
    reading ??= read();
    const code = await reading;
    if (code === null) return next();
    response.type('js').set('Cache-Control', assetOptions.cacheControl).send(code);
  };
}

/** Only the console's own stylesheets, pictures, forms, and the script of the previews, which sends their forms. */
export const pageHeaders = securityHeaders({
  contentSecurityPolicy: {
    'default-src': ["'none'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'script-src': ["'self'"],
    'connect-src': ["'self'"],
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

function sendErrorPages({ log }: OwnerContext, sessions: OwnerSessions) {
  return handleErrors({
    unexpected: new HttpError(503, 'The database is unavailable. See the log.', 5),
    log,
    logMessage: 'console page failed',
    async send(error, request, response) {
      const texts = textsOf(request);
      const { text } = texts;
      const session = await sessions.find(request).catch(() => null);
      const next = session === null ? text('console.signIn') : text('console.overview');
      const body = html`<section class="card outcome"><p class="sign bad" aria-hidden="true">✗</p><h1>${text('failure.title')}</h1>
<p dir="auto">${explainError(error, texts)}</p>
<p class="line"><a class="button" href="${relativeRoot(request.path)}">${next}</a> <a class="button second" href="https://discord.com/channels/@me" rel="noreferrer">${text('webPage.back')}</a></p></section>`;
      renderPage(request, response, { title: text('failure.title'), session, body });
    },
  });
}
