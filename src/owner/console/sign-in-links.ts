import { randomBytes } from 'node:crypto';
import { Router } from 'express';
import type { Clock } from '../../platform/clock.ts';
import { minute } from '../../platform/durations.ts';
import { clientKeyOf } from '../../platform/web/client-key.ts';
import { isOwnHost } from '../../platform/web/host.ts';
import { html } from '../../platform/web/html.ts';
import { HttpError } from '../../platform/web/http-error.ts';
import { equalSecrets } from '../../platform/web/session-cookie.ts';
import { loopbackClients } from '../authentication.ts';
import { renderPage } from './render-page.ts';
import type { OwnerSessions } from './session.ts';

const lifetimeMs = minute;

/** Links that sign in to the console without the token: once, within a minute, from this machine. */
export interface SignInLinks {
  /** The path of a new link below the console's. It ends the earlier one. */
  create(): string;
  /** Whether the code is that of the link, which is used up by that. */
  use(code: string): boolean;
}

/** @param clock real time @param onUsed called when a link has been used */
export function createSignInLinks(clock: Clock, onUsed: () => void = () => {}): SignInLinks {
  let current: { readonly code: string; readonly endsAt: number } | null = null;
  return {
    create() {
      current = { code: randomBytes(32).toString('base64url'), endsAt: clock.monotonic() + lifetimeMs };
      return `sign-in-link?code=${current.code}`;
    },
    use(code) {
      if (current === null || clock.monotonic() >= current.endsAt || !equalSecrets(code, current.code)) return false;
      current = null;
      onUsed();
      return true;
    },
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
      throw new HttpError(
        403,
        'This link has been used, or is older than a minute. Open a new one from where it came.',
      );
    }
    await sessions.signIn(request, response);
    response.set('refresh', '0; url=./');
    renderPage(request, response, {
      title: 'Signed in',
      session: null,
      body: html`<h1>Signed in</h1><p><a href="./">Open the console</a></p>`,
    });
  });
  return router;
}
