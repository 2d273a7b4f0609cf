import { Router } from 'express';
import { z } from 'zod';
import { clientKeyOf } from '../../platform/web/client-key.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { HttpError } from '../../platform/web/http-error.ts';
import type { Authentication } from '../authentication.ts';
import type { OwnerContext } from '../context.ts';
import { parseRequest } from '../request-schemas.ts';
import { sessionMiddleware } from './middleware.ts';
import { renderPage } from './render-page.ts';
import type { OwnerSessions } from './session.ts';

/** The page to open after signing in: only paths of the console, so that a link cannot redirect to another site. */
const nextPage = z
  .string()
  .regex(/^(?:deliveries|effects|users)(?:\/\d+)?(?:\?[\w=&%.+:-]*)?$/)
  .catch('');
const signInForm = z.object({ ownerToken: z.string().catch(''), next: nextPage });

/** Sign-in with the owner token, and sign-out. */
export function ownerSignInRoutes(
  { log }: OwnerContext,
  authentication: Authentication,
  sessions: OwnerSessions,
): Router {
  const router = Router({ strict: true });
  const { requireForm } = sessionMiddleware(sessions);

  router.get('/sign-in', async (request, response) => {
    if ((await sessions.find(request)) !== null) return response.redirect(303, './');
    const body = signInPage(nextPage.parse(request.query['next']), null);
    renderPage(request, response, { title: 'Sign in', session: null, body });
  });

  router.post('/sign-in', async (request, response) => {
    const { ownerToken, next } = parseRequest(signInForm, request.body ?? {});
    const client = clientKeyOf(request.ip);
    const error = authenticationError(() => authentication.verifyToken(ownerToken, client));
    if (error === null) {
      log.info({ address: client }, 'owner signed in');
      await sessions.signIn(request, response);
      return response.redirect(303, `./${next}`);
    }
    if (error.retryAfterSeconds !== null) response.set('retry-after', String(error.retryAfterSeconds));
    response.status(error.status);
    renderPage(request, response, { title: 'Sign in', session: null, body: signInPage(next, error.message) });
  });

  router.post(
    '/sign-out',
    requireForm(async (request, response, session) => {
      await sessions.signOut(session, request, response);
      response.redirect(303, './sign-in?notice=signed-out');
    }),
  );

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

function signInPage(next: string, errorMessage: string | null): Html {
  return html`<div class="narrow">
<h1>Sign in</h1>
${errorMessage && html`<p class="notice bad" role="alert" id="fault">${errorMessage}</p>`}
<form class="card stack" method="post" action="sign-in">
  <input type="hidden" name="next" value="${next}">
  <input type="text" name="username" value="owner" autocomplete="username" hidden>
  <label for="owner-token">Owner token</label>
  <input id="owner-token" type="password" name="ownerToken" required autofocus autocomplete="current-password" maxlength="500"${errorMessage && html` aria-describedby="fault" aria-invalid="true"`}>
  <p class="quiet">The value of the setting <code>OWNER_TOKEN</code>. You stay signed in for two hours.</p>
  <button>Sign in</button>
</form>
</div>`;
}
