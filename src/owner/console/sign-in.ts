import { Router } from 'express';
import { z } from 'zod';
import { clientKeyOf } from '../../platform/web/client-key.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { HttpError } from '../../platform/web/http-error.ts';
import type { Authentication } from '../authentication.ts';
import type { OwnerContext } from '../context.ts';
import { parseRequest } from '../request-schemas.ts';
import { findFormSession } from './middleware.ts';
import { nextPage } from './next-page.ts';
import { renderPage } from './render-page.ts';
import type { OwnerSessions } from './session.ts';

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
  const pageOf = (next: string, errorMessage: string | null) =>
    signInPage({ next, errorMessage, discordUrl, hasToken: authentication !== null });

  router.get('/sign-in', async (request, response) => {
    if ((await sessions.find(request)) !== null) return response.redirect(303, './');
    const body = pageOf(nextPage.parse(request.query['next']), null);
    renderPage(request, response, { title: 'Sign in', session: null, body });
  });

  router.post('/sign-in', async (request, response) => {
    if (authentication === null) throw new HttpError(404, 'There is no owner token.');
    const { ownerToken, next } = parseRequest(signInForm, request.body ?? {});
    const client = clientKeyOf(request.ip);
    const error = authenticationError(() => authentication.verifyToken(ownerToken, client));
    if (error === null) {
      log.info({ address: client }, 'owner signed in');
      await sessions.signIn(request, response, null);
      return response.redirect(303, `./${next}`);
    }
    if (error.retryAfterSeconds !== null) response.set('retry-after', String(error.retryAfterSeconds));
    response.status(error.status);
    renderPage(request, response, { title: 'Sign in', session: null, body: pageOf(next, error.message) });
  });

  router.post('/sign-out', async (request, response) => {
    await sessions.signOut(await findFormSession(sessions, request), request, response);
    response.redirect(303, './sign-in?notice=signed-out');
  });

  return router;
}

function authenticationError(verify: () => boolean): HttpError | null {
  try {
    return verify()
      ? null
      : new HttpError(401, 'Wrong owner token. Compare it with OWNER_TOKEN, and check for a trailing space.');
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
}

function signInPage({ next, errorMessage, discordUrl, hasToken }: SignInPage): Html {
  return html`<div class="narrow">
<h1>Sign in</h1>
${errorMessage && html`<p class="notice bad" role="alert" id="fault">${errorMessage}</p>`}
${
  discordUrl !== null &&
  html`<section class="card stack"><p><a class="button discord" href="${discordUrl}${next && `?next=${encodeURIComponent(next)}`}">Sign in with Discord</a></p>
<p class="quiet">For everyone who has the permission Manage Server. You see your servers, and stay signed in for two hours.</p></section>`
}
${hasToken && tokenForm(next, errorMessage, discordUrl === null)}
</div>`;
}

function tokenForm(next: string, errorMessage: string | null, isOnly: boolean): Html {
  const form = html`<form class="stack${isOnly && html` card`}" method="post" action="sign-in">
  <input type="hidden" name="next" value="${next}">
  <input type="text" name="username" value="owner" autocomplete="username" hidden>
  <label for="owner-token">Owner token</label>
  <input id="owner-token" type="password" name="ownerToken" required${isOnly && html` autofocus`} autocomplete="current-password" maxlength="500"${errorMessage && html` aria-describedby="fault" aria-invalid="true"`}>
  <p class="quiet">The value of the setting <code>OWNER_TOKEN</code>. You stay signed in for two hours.</p>
  <button>Sign in</button>
</form>`;
  if (isOnly) return form;
  return html`<details class="card"${errorMessage && html` open`}><summary>I operate this bot</summary>${form}</details>`;
}
