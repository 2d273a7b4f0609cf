import type { Clock } from '@tallyhook/platform/clock';
import { createAuthorizationAttempts } from '@tallyhook/platform/discord-oauth/authorization-attempts';
import { OAuthError } from '@tallyhook/platform/discord-oauth/oauth-client';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { clientKeyOf, isTrustedProxy } from '@tallyhook/platform/web/client-key';
import { ClientLimit } from '@tallyhook/platform/web/client-limit';
import { html } from '@tallyhook/platform/web/html';
import { maxPlainPages, plainPageHeaders, sendPlainPage } from '@tallyhook/platform/web/plain-page';
import express, { type Express, type Response, Router } from 'express';
import type { AppTexts, TextIn, Texts } from '../../texts/texts.ts';
import type { DiscordOAuth } from './discord-oauth.ts';
import type { MemberTokens } from './member-tokens.ts';

/** Discord's codes are shorter (characters). */
const maxCodeLength = 512;

/** Where members link their account; Discord's `role_connections_verification_url`. */
export const linkPath = '/linked-roles';

/** Why an attempt failed, by its text on the page. */
type Failure = Exclude<TextIn<'webPage'>, 'back'>;

/**
 * The pages on which a member links the account. The member's permission is asked for by Discord; tokens, codes and
 * secrets are in no page, log or cookie.
 * @param options.publicUrl without a trailing slash
 * @param options.onLinked called with the member's id after the first update was enqueued
 */
export function createLinkRoutes(options: {
  readonly oauth: Pick<DiscordOAuth, 'authorizeUrl' | 'exchangeCode' | 'currentMember'>;
  readonly tokens: Pick<MemberTokens, 'link'>;
  readonly clientSecret: string;
  readonly publicUrl: string;
  readonly onLinked: (userId: string) => void;
  readonly languages: AppTexts;
  readonly clock: Clock;
  readonly log: Log;
}): Express {
  const { languages, oauth, tokens, clientSecret, publicUrl, onLinked, clock, log } = options;
  const { pathname, protocol } = new URL(`${publicUrl}${linkPath}`);
  const attempts = createAuthorizationAttempts({
    secret: clientSecret,
    purpose: 'linked roles',
    cookieName: 'linked-roles',
    path: pathname,
    secure: protocol === 'https:',
    clock,
  });
  const limit = new ClientLimit(maxPlainPages);

  async function link(code: string, verifier: string, fallback: Texts): Promise<{ texts: Texts; name: string }> {
    const granted = await oauth.exchangeCode(code, verifier);
    const member = await oauth.currentMember(granted.accessToken);
    await tokens.link({ userId: member.id, locale: member.locale }, granted);
    onLinked(member.id);
    log.info('a member has linked their account for linked roles');
    return { texts: languages.for(member.locale, fallback.locale), name: member.name };
  }

  function sendFailure(response: Response, status: number, failure: Failure, texts: Texts): void {
    const { text } = texts;
    sendPlainPage(response, {
      status,
      locale: texts.locale,
      title: text('linkedRoles.page.titleFailed'),
      body: html`<p>${texts.text(`webPage.${failure}`)}</p>`,
      next: { url: pathname, label: text('linkedRoles.page.again') },
    });
  }

  function failureOf(error: unknown): { status: number; failure: Failure } {
    if (error instanceof OAuthError && error.reason === 'revoked') return { status: 400, failure: 'expired' };
    log.warn({ reason: messageOf(error) }, 'a member could not link their account');
    return { status: 503, failure: 'unavailable' };
  }

  const router = Router({ strict: true });
  router.use(linkPath, plainPageHeaders, async (request, response, next) => {
    if ((await limit.waitMs(clientKeyOf(request.ip))) === null) return next();
    response.set('retry-after', '60');
    sendFailure(response, 429, 'tooMany', languages.for(...request.acceptsLanguages().slice(0, 10)));
  });
  router.get(linkPath, async (request, response) => {
    try {
      const { state, verifier } = attempts.start(response);
      response.redirect(await oauth.authorizeUrl({ state, verifier }));
    } catch (error) {
      const { status, failure } = failureOf(error);
      sendFailure(response, status, failure, languages.for(...request.acceptsLanguages().slice(0, 10)));
    }
  });
  router.get(`${linkPath}/callback`, async (request, response) => {
    const fallback = languages.for(...request.acceptsLanguages().slice(0, 10));
    const attempt = attempts.finish(request, response);
    const { code, error } = request.query;
    if (attempt === null) return sendFailure(response, 400, 'expired', fallback);
    if (error !== undefined) return sendFailure(response, 400, 'cancelled', fallback);
    if (typeof code !== 'string' || code === '' || code.length > maxCodeLength)
      return sendFailure(response, 400, 'expired', fallback);
    try {
      const { texts, name } = await link(code, attempt.verifier, fallback);
      const { text } = texts;
      const body = html`<p><bdi>@${name}</bdi></p><p>${text('linkedRoles.page.linked')}</p><p>${text('linkedRoles.page.undo')}</p>`;
      const next = { url: 'https://discord.com/channels/@me', label: texts.text('webPage.back') };
      sendPlainPage(response, {
        status: 200,
        locale: texts.locale,
        title: text('linkedRoles.page.titleLinked'),
        body,
        next,
      });
    } catch (failed) {
      const { status, failure } = failureOf(failed);
      sendFailure(response, status, failure, fallback);
    }
  });
  return express().disable('x-powered-by').disable('etag').set('trust proxy', isTrustedProxy).use(router);
}
