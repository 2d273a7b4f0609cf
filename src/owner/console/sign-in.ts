import { codeIn } from '@tallyhook/platform/discord-oauth/authorization-attempts';
import { OAuthError } from '@tallyhook/platform/discord-oauth/oauth-client';
import { messageOf } from '@tallyhook/platform/errors';
import { withoutBold } from '@tallyhook/platform/texts/markup';
import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { isOwnHost } from '@tallyhook/platform/web/host';
import { type Html, html } from '@tallyhook/platform/web/html';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import type { Texts } from '../../texts/texts.ts';
import {
  type Authentication,
  type DiscordSignIn,
  loopbackClients,
  type SignInLinks,
  signInCallback,
} from '../authentication.ts';
import type { OwnerContext } from '../context.ts';
import { parseRequest } from '../request-schemas.ts';
import { fill } from './cells.ts';
import { ConsoleError, explainError, findFormSession } from './middleware.ts';
import { renderPage, textsOf } from './render-page.ts';
import { type OwnerSessions, sessionLifetimeMs } from './session.ts';

/** The page to open after signing in: only paths of the console, so that a link cannot redirect to another site. */
export const nextPage = z
  .string()
  .regex(
    /^(?:servers\/(?:\d{1,20}\/)?)?(?:(?:deliveries|effects|users|listings|orders|settings|changes)(?:\/[\w-]{1,40}){0,3})?(?:\?[\w=&%.+:-]{0,500})?$/,
  )
  .catch('');

const signInForm = z.object({ ownerToken: z.string().catch(''), next: nextPage });

interface SignInOptions {
  /** Verifies the owner token; null without one. */
  readonly authentication: Authentication | null;
  /** The address where members start; null if they cannot sign in. */
  readonly discordUrl: string | null;
}

/** The page to sign in, the sign-in with the owner token, and the sign-out. */
export function ownerSignInRoutes(
  { log }: Pick<OwnerContext, 'log'>,
  { authentication, discordUrl }: SignInOptions,
  sessions: OwnerSessions,
): Router {
  const router = Router({ strict: true });
  function render(request: Request, response: Response, next: string, error: HttpError | null): void {
    const texts = textsOf(request);
    const errorMessage = error && explainError(error, texts);
    const body = signInPage({ next, errorMessage, discordUrl, hasToken: authentication !== null, texts });
    renderPage(request, response, { title: texts.text('console.signIn'), session: null, body });
  }

  router.get('/sign-in', async (request, response) => {
    if ((await sessions.find(request)) !== null) return response.redirect(303, './');
    render(request, response, nextPage.parse(request.query['next']), null);
  });

  router.post('/sign-in', async (request, response) => {
    if (authentication === null) throw new HttpError(404, 'There is no owner token.');
    const { ownerToken, next } = parseRequest(signInForm, request.body ?? {});
    const client = clientKeyOf(request.ip);
    const error = await authenticationError(authentication.verifyToken(ownerToken, client));
    if (error === null) {
      log.info({ address: client }, 'owner signed in');
      await sessions.signIn(request, response, null);
      return response.redirect(303, `./${next}`);
    }
    if (error.retryAfterSeconds !== null) response.set('retry-after', String(error.retryAfterSeconds));
    response.status(error.status);
    render(request, response, next, error);
  });

  router.post('/sign-out', async (request, response) => {
    await sessions.signOut(await findFormSession(sessions, request), request, response);
    response.redirect(303, './sign-in?notice=signed-out');
  });

  return router;
}

async function authenticationError(verifying: Promise<boolean>): Promise<HttpError | null> {
  try {
    return (await verifying)
      ? null
      : new ConsoleError(401, ({ text }) => text('console.token.wrong', { name: tokenName }));
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

interface SignInPage {
  readonly next: string;
  readonly errorMessage: string | null;
  readonly discordUrl: string | null;
  readonly hasToken: boolean;
  readonly texts: Texts;
}

function signInPage(page: SignInPage): Html {
  const { next, errorMessage, discordUrl, hasToken, texts } = page;
  const { text } = texts;
  return html`<div class="narrow">
${discordUrl === null && html`<h1>${text('console.signIn')}</h1>`}
${errorMessage && html`<p class="notice bad" role="alert" id="fault">${errorMessage}</p>`}
${
  discordUrl !== null &&
  html`<section class="card outcome"><img src="icon.svg" width="56" height="56" alt=""><h1>${text('console.signIn')}</h1><p>${text('console.purpose')}</p><p><a class="button discord" href="${discordUrl}${next && `?next=${encodeURIComponent(next)}`}">${text('console.signInWithDiscord')}</a></p>
<p class="quiet">${withoutBold(texts.text('help.managers'))}<br>${lasting(texts)}</p></section>`
}
${hasToken && tokenForm(page)}
</div>`;
}

const tokenName = 'OWNER_TOKEN';

function lasting({ duration, text }: Texts): string {
  return text('console.staySignedIn', { duration: `${duration(sessionLifetimeMs)}` });
}

function tokenForm({ next, errorMessage, discordUrl, texts }: SignInPage): Html {
  const { text } = texts;
  const isOnly = discordUrl === null;
  const form = html`<form class="stack${isOnly && html` card`}" method="post" action="sign-in">
  <input type="hidden" name="next" value="${next}">
  <input type="text" name="username" value="owner" autocomplete="username" hidden>
  <label for="owner-token">${text('console.token.label')}</label>
  <input id="owner-token" type="password" name="ownerToken" required${isOnly && html` autofocus`} autocomplete="current-password" maxlength="500"${errorMessage && html` aria-describedby="fault" aria-invalid="true"`}>
  <p class="quiet">${fill(texts, 'console.token.hint', { name: html`<code>${tokenName}</code>` })} ${lasting(texts)}</p>
  <button>${text('console.signIn')}</button>
</form>`;
  if (isOnly) return form;
  return html`<details class="card"${errorMessage && html` open`}><summary>${text('console.token.summary')}</summary>${form}</details>`;
}

/** Where a member starts. A link, not a form: browsers would apply the policy `form-action` to the redirect to Discord. */
export const startPath = 'discord-sign-in';

/** Sign-in with Discord for those who manage a server. Tokens and codes are in no page, log or cookie. */
export function memberSignInRoutes(
  { attempts, consentUrl, readMember, url }: DiscordSignIn,
  { guilds, log }: Pick<OwnerContext, 'guilds' | 'log'>,
  sessions: OwnerSessions,
  authentication: Pick<Authentication, 'countSignIn'>,
): Router {
  const router = Router({ strict: true });
  const ownHost = new URL(url).host;

  router.get(`/${startPath}`, async (request, response) => {
    const next = nextPage.parse(request.query['next']);
    // Discord sends the browser to the public host, which has to read the cookie. `moved` ends a loop if a proxy replaces
    // the host.
    if (request.headers.host !== ownHost && request.query['moved'] === undefined) {
      return response.redirect(303, `${url}/${startPath}?${new URLSearchParams({ next, moved: '1' }).toString()}`);
    }
    // The cookie's content has no dots.
    const attempt = attempts.start(response, Buffer.from(next).toString('base64url'));
    try {
      response.redirect(303, await consentUrl(attempt));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'sign-in with Discord could not begin');
      throw unavailable();
    }
  });

  router.get(`/${signInCallback}`, async (request, response) => {
    const attempt = attempts.finish(request, response);
    if (attempt === null) throw expired();
    if (request.query['error'] !== undefined)
      throw new ConsoleError(400, ({ text }) => text('console.errors.cancelled'));
    const code = codeIn(request.query);
    if (code === null) throw expired();
    await authentication.countSignIn(clientKeyOf(request.ip));
    const member = await readMember(code, attempt.verifier).catch((thrown: unknown) => {
      if (thrown instanceof OAuthError && thrown.reason === 'revoked') throw expired();
      log.warn({ reason: messageOf(thrown) }, 'sign-in with Discord failed');
      throw unavailable();
    });
    const known = guilds.ids();
    const guildIds = member.guildIds.filter((id) => known.includes(id));
    await sessions.signIn(request, response, { userId: member.userId, guildIds });
    log.info({ user: member.userId, guilds: guildIds.length }, 'a member signed in');
    const next = nextPage.parse(Buffer.from(attempt.data, 'base64url').toString());
    // Not a redirect: a browser that comes from Discord would not send the new cookie with it, because of
    // `SameSite=Strict`.
    response.set('refresh', `0; url=./${next}`);
    renderPage(request, response, arrivedPage(`./${next}`, textsOf(request)));
  });

  return router;
}

const expired = () => new ConsoleError(400, ({ text }) => text('webPage.expired'));
const unavailable = () => new ConsoleError(503, ({ text }) => text('webPage.unavailable'), 30);

function arrivedPage(next: string, { text }: Texts) {
  const title = text('console.notices.signedIn');
  return {
    title,
    session: null,
    body: html`<section class="card outcome"><p class="sign good" aria-hidden="true">✓</p><h1>${title}</h1><p><a class="button" href="${next}">${text('setup.buttons.next')}</a></p></section>`,
  };
}

/** The page that a link opens. It leads on by itself, because a redirect would not send a new `SameSite=Strict` cookie. */
export function signInLinkRoutes(links: SignInLinks, sessions: OwnerSessions): Router {
  const router = Router({ strict: true });
  // Beside the overview: the cookie has no path, so it is valid for where it was set.
  router.get('/sign-in-link', async (request, response) => {
    const { code } = request.query;
    const { socket, headers } = request;
    const isLocal = isOwnHost(headers.host) && loopbackClients.includes(clientKeyOf(socket.remoteAddress));
    if (!isLocal || typeof code !== 'string' || !links.use(code)) {
      throw new ConsoleError(403, ({ text }) => text('webPage.expired'));
    }
    await sessions.signIn(request, response, null);
    response.set('refresh', '0; url=./');
    renderPage(request, response, arrivedPage('./', textsOf(request)));
  });
  return router;
}
