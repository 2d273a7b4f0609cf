import { Router } from 'express';
import { addressOf } from '../address.ts';
import type { Gate } from '../gate.ts';
import { Refused } from '../refused.ts';
import type { OwnerServices } from '../services.ts';
import { forSignedIn } from './guards.ts';
import type { Sessions } from './session.ts';
import { show } from './show.ts';
import { signInPage } from './sign-in-page.ts';

/** How the owner comes in with the token, and goes out. */
export function signInRoutes({ log }: OwnerServices, gate: Gate, sessions: Sessions): Router {
  const router = Router({ strict: true });
  const { sent } = forSignedIn(sessions);

  router.get('/sign-in', async (request, response) => {
    if ((await sessions.of(request)) !== null) return response.redirect(303, './');
    show(request, response, { title: 'Sign in', session: null, body: signInPage(within(request.query['next']), null) });
  });

  router.post('/sign-in', (request, response) => {
    const { ownerToken, next } = (request.body ?? {}) as Readonly<Record<string, unknown>>;
    const address = addressOf(request.ip);
    const fault = faultOf(() => gate.knows(typeof ownerToken === 'string' ? ownerToken : '', address));
    if (fault === null) {
      log.info({ address }, 'the owner signed in');
      sessions.signIn(request, response);
      return response.redirect(303, `./${within(next)}`);
    }
    if (fault.retryAfter !== null) response.set('retry-after', String(fault.retryAfter));
    response.status(fault.status);
    show(request, response, { title: 'Sign in', session: null, body: signInPage(within(next), fault.message) });
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

function faultOf(knows: () => boolean): Refused | null {
  try {
    return knows()
      ? null
      : new Refused(401, 'This is not the owner token. Compare it with OWNER_TOKEN, and mind a space at its end.');
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

/** Where to go after signing in: a page of the console, whatever a link says. */
function within(value: unknown): string {
  return typeof value === 'string' && /^(?:deliveries|effects|users)(?:\/\d+)?(?:\?[\w=&%.+:-]*)?$/.test(value)
    ? value
    : '';
}
