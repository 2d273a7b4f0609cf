import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { type Html, html } from '@tallyhook/platform/web/html';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import type { Texts } from '../../texts/texts.ts';
import type { Authentication } from '../authentication.ts';
import type { OwnerContext } from '../context.ts';
import { parseRequest } from '../request-schemas.ts';
import { counted, fill } from './cells.ts';
import { ConsoleError, explainError } from './console-error.ts';
import { findFormSession } from './middleware.ts';
import { nextPage } from './next-page.ts';
import { renderPage, textsOf } from './render-page.ts';
import { type OwnerSessions, sessionLifetimeMs } from './session.ts';

const signInForm = z.object({ ownerToken: z.string().catch(''), next: nextPage });

/** Who can sign in, how. */
export interface SignInOptions {
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
<h1>${text('console.signIn')}</h1>
${errorMessage && html`<p class="notice bad" role="alert" id="fault">${errorMessage}</p>`}
${
  discordUrl !== null &&
  html`<section class="card stack"><p><a class="button discord" href="${discordUrl}${next && `?next=${encodeURIComponent(next)}`}">${text('console.signInWithDiscord')}</a></p>
<p class="quiet">${counted(texts.text('help.managers'))}<br>${lasting(texts)}</p></section>`
}
${hasToken && tokenForm(page)}
</div>`;
}

const tokenName = 'OWNER_TOKEN';

/** How long a session lasts. */
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
