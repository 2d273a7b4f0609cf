import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { isOwnHost } from '@tallyhook/platform/web/host';
import { Router } from 'express';
import { loopbackClients } from '../authentication.ts';
import type { SignInLinks } from '../sign-in-links.ts';
import { ConsoleError } from './console-error.ts';
import { arrivedPage } from './member-sign-in.ts';
import { renderPage, textsOf } from './render-page.ts';
import type { OwnerSessions } from './session.ts';

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
