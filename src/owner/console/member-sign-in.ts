import { OAuthError } from '@tallyhook/platform/discord-oauth/oauth-error';
import { messageOf } from '@tallyhook/platform/errors';
import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { html } from '@tallyhook/platform/web/html';
import { Router } from 'express';
import type { Texts } from '../../texts/texts.ts';
import type { Authentication } from '../authentication.ts';
import type { OwnerContext } from '../context.ts';
import { type DiscordSignIn, signInCallback } from '../discord-sign-in.ts';
import { ConsoleError } from './console-error.ts';
import { nextPage } from './next-page.ts';
import { renderPage, textsOf } from './render-page.ts';
import type { OwnerSessions } from './session.ts';

/** Where a member starts. A link, not a form: browsers would apply the policy `form-action` to the redirect to Discord. */
export const startPath = 'discord-sign-in';

/** Discord's codes are shorter (characters). */
const maxCodeLength = 512;

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
    const { code, error } = request.query;
    if (attempt === null) throw expired();
    if (error !== undefined) throw new ConsoleError(400, ({ text }) => text('console.errors.cancelled'));
    if (typeof code !== 'string' || code === '' || code.length > maxCodeLength) throw expired();
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

/** After signing in, with a link to where the member wanted to go. */
export function arrivedPage(next: string, { text }: Texts) {
  const title = text('console.notices.signedIn');
  return {
    title,
    session: null,
    body: html`<h1>${title}</h1><p><a class="button" href="${next}">${text('setup.buttons.next')}</a></p>`,
  };
}
