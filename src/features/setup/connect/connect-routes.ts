import { minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { clientKeyOf, isTrustedProxy } from '@tallyhook/platform/web/client-key';
import { ClientLimit } from '@tallyhook/platform/web/client-limit';
import { html } from '@tallyhook/platform/web/html';
import { maxPlainPages, type PlainPage, plainPageHeaders, sendPlainPage } from '@tallyhook/platform/web/plain-page';
import { equalSecrets, readCookie, setCookie } from '@tallyhook/platform/web/session-cookie';
import express, { type Express, type Request, type Response, Router } from 'express';
import type { AppTexts, Texts } from '../../../texts/texts.ts';
import { type Connect, connectPath } from './connect.ts';
import type { ConnectTickets } from './connect-tickets.ts';

const maxCodeLength = 512;
const cookieLifetimeMs = 10 * minute;

type Failure = 'expired' | 'cancelled' | 'managersOnly' | 'already' | 'unavailable' | 'tooMany';

/**
 * Where a browser comes from Discord on the way to the service, and back. The cookie binds the way back to the browser
 * that went: it is encrypted, and has the state and the verifier. Keys, secrets and codes are in no page, log or cookie.
 */
export function createConnectRoutes(options: {
  readonly connect: Pick<Connect, 'obstacle' | 'start' | 'finish'>;
  readonly tickets: Pick<ConnectTickets, 'open' | 'resume'>;
  readonly publicUrl: string;
  readonly languages: AppTexts;
  readonly log: Log;
}): Express {
  const { languages, connect, tickets, publicUrl, log } = options;
  const { pathname: path, protocol } = new URL(`${publicUrl}${connectPath}`);
  const secure = protocol === 'https:';
  const name = `${secure ? '__Secure-' : ''}tallyhook_connect`;
  const limit = new ClientLimit(maxPlainPages);

  // The way back comes from another site.
  const attributes = { name, path, secure, sameSite: 'lax' } as const;

  /** @param guildId the server to go back to; null if it is not known */
  function fail(request: Request, response: Response, failure: Failure, guildId: string | null = null): void {
    const texts = languages.for(...request.acceptsLanguages().slice(0, 10));
    const { text } = texts;
    const reasons = {
      expired: text('webPage.expired'),
      cancelled: text('webPage.cancelled'),
      tooMany: text('webPage.tooMany'),
      managersOnly: text('failure.managersOnly'),
      already: text('setup.connect.already'),
      unavailable: text('setup.connect.unavailable'),
    };
    const body = html`<p>${reasons[failure]}</p>`;
    const next = backToDiscord(guildId, texts);
    sendPlainPage(response, {
      status: statuses[failure],
      locale: texts.locale,
      title: text('setup.connect.titleFailed'),
      body,
      next,
    });
  }

  function failUnexpectedly(request: Request, response: Response, error: unknown, guildId: string): void {
    log.warn({ reason: messageOf(error) }, 'a listing could not be connected');
    fail(request, response, 'unavailable', guildId);
  }

  const router = Router({ strict: true });
  router.use(connectPath, plainPageHeaders, async (request, response, next) => {
    if ((await limit.waitMs(clientKeyOf(request.ip))) === null) return next();
    response.set('retry-after', '60');
    fail(request, response, 'tooMany');
  });

  router.get(connectPath, (request, response) => fail(request, response, 'expired'));

  router.get(`${connectPath}/callback`, async (request, response) => {
    const attempt = tickets.resume(readCookie(request.headers.cookie, name));
    setCookie(response, { ...attributes, value: '', lifetimeMs: 0 });
    const { state, code, error } = request.query;
    const isOwn = attempt !== null && typeof state === 'string' && equalSecrets(state, attempt.state);
    if (!isOwn) return fail(request, response, 'expired');
    const { guildId } = attempt;
    if (error !== undefined) return fail(request, response, 'cancelled', guildId);
    if (typeof code !== 'string' || code === '' || code.length > maxCodeLength) {
      return fail(request, response, 'expired', guildId);
    }
    try {
      const obstacle = await connect.obstacle(attempt);
      if (obstacle !== null) return fail(request, response, obstacle, guildId);
      const hasArrived = await connect.finish(attempt, code);
      const texts = languages.for(...request.acceptsLanguages().slice(0, 10));
      const { text } = texts;
      const steps = html`<ol><li>${text('setup.steps.channelTitle')}</li><li>${text('setup.steps.rewardsTitle')}</li></ol>`;
      const body = html`<p>${hasArrived ? text('setup.connect.done') : text('setup.connect.untested')}</p>${hasArrived && steps}`;
      sendPlainPage(response, {
        status: 200,
        locale: texts.locale,
        title: text('setup.connect.title'),
        body,
        next: backToDiscord(guildId, texts),
      });
    } catch (failed) {
      failUnexpectedly(request, response, failed, guildId);
    }
  });

  router.get(`${connectPath}/:ticket`, async (request, response) => {
    const ticket = tickets.open(request.params.ticket);
    if (ticket === null) return fail(request, response, 'expired');
    try {
      const obstacle = await connect.obstacle(ticket);
      if (obstacle !== null) return fail(request, response, obstacle, ticket.guildId);
      const { url, cookie } = await connect.start(ticket);
      setCookie(response, { ...attributes, value: cookie, lifetimeMs: cookieLifetimeMs });
      response.redirect(303, url);
    } catch (failed) {
      failUnexpectedly(request, response, failed, ticket.guildId);
    }
  });
  return express().disable('x-powered-by').disable('etag').set('trust proxy', isTrustedProxy).use(router);
}

const statuses: Readonly<Record<Failure, number>> = {
  expired: 400,
  cancelled: 400,
  managersOnly: 403,
  already: 409,
  unavailable: 503,
  tooMany: 429,
};

function backToDiscord(guildId: string | null, texts: Texts): PlainPage['next'] {
  return { url: `https://discord.com/channels/${guildId ?? '@me'}`, label: texts.text('webPage.back') };
}
