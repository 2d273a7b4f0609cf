import { Router } from 'express';
import type { Authentication } from '../authentication.ts';
import { clientKeyOf } from '../client-key.ts';
import type { OwnerContext } from '../context.ts';
import { HttpError } from '../http-error.ts';
import { requireSession } from './middleware.ts';
import { renderPage } from './render-page.ts';
import type { OwnerSessions } from './session.ts';
import { signInPage } from './sign-in-page.ts';

/** How the owner comes in with the token, and goes out. */
export function ownerSignInRoutes({ log }: OwnerContext, gate: Authentication, sessions: OwnerSessions): Router {
  const router = Router({ strict: true });
  const { sent } = requireSession(sessions);

  router.get('/sign-in', async (request, response) => {
    if ((await sessions.of(request)) !== null) return response.redirect(303, './');
    renderPage(request, response, {
      title: 'Sign in',
      session: null,
      body: signInPage(within(request.query['next']), null),
    });
  });

  router.post('/sign-in', (request, response) => {
    const { ownerToken, next } = (request.body ?? {}) as Readonly<Record<string, unknown>>;
    const address = clientKeyOf(request.ip);
    const fault = faultOf(() => gate.knows(typeof ownerToken === 'string' ? ownerToken : '', address));
    if (fault === null) {
      log.info({ address }, 'the owner signed in');
      sessions.signIn(request, response);
      return response.redirect(303, `./${within(next)}`);
    }
    if (fault.retryAfter !== null) response.set('retry-after', String(fault.retryAfter));
    response.status(fault.status);
    renderPage(request, response, { title: 'Sign in', session: null, body: signInPage(within(next), fault.message) });
  });

  router.post(
    '/sign-out',
    sent(async (request, response, session) => {
      await sessions.signOut(session, request, response);
      response.redirect(303, './sign-in?notice=signed-out');
    }),
  );

  return router;
}

function faultOf(knows: () => boolean): HttpError | null {
  try {
    return knows()
      ? null
      : new HttpError(401, 'This is not the owner token. Compare it with OWNER_TOKEN, and mind a space at its end.');
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

/** Where to go after signing in: a page of the console, whatever a link says. */
function within(value: unknown): string {
  return typeof value === 'string' && /^(?:deliveries|effects|users)(?:\/\d+)?(?:\?[\w=&%.+:-]*)?$/.test(value)
    ? value
    : '';
}
