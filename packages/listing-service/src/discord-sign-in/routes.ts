import { codeIn } from '@tallyhook/platform/discord-oauth/authorization-attempts';
import { OAuthError } from '@tallyhook/platform/discord-oauth/oauth-client';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { type Fragment, type Html, html } from '@tallyhook/platform/web/html';
import { type Request, type Response, Router } from 'express';
import { nextPath } from '../pages/forms.ts';
import { textsOf } from '../pages/language.ts';
import { isolated } from '../pages/listing-parts.ts';
import type { PageDependencies } from '../pages/page-routes.ts';
import { renderServicePage, signedInAt } from '../pages/render-page.ts';
import { upsertMember } from '../storage/members/members.ts';
import { saveProvenGuilds } from '../storage/members/proven-guilds.ts';
import type { ServiceTexts } from '../texts/texts.ts';
import { type Consent, callbackPath, type DiscordSignIn } from './discord-accounts.ts';

/** Where a member starts. Links, not forms: browsers would apply the policy `form-action` to the redirect to Discord. */
const startPaths: Readonly<Record<Consent, string>> = {
  account: '/sign-in/discord',
  servers: '/sign-in/discord/servers',
};

/** Codes of OAuth2 by which Discord says that it has a problem. RFC 6749, section 4.1.2.1. */
const discordErrors: readonly unknown[] = ['server_error', 'temporarily_unavailable'];

/** Sign-in with Discord, and the proof of which servers are the member's. Tokens and codes are in no page or log. */
export function discordSignInRoutes(dependencies: PageDependencies, discord: DiscordSignIn): Router {
  const { database, clock, log, sessions, admission, face, origin } = dependencies;
  const { attempts } = discord;
  const ownHost = new URL(origin).host;
  const router = Router();

  async function sendFailure(
    request: Request,
    response: Response,
    failure: Failure,
    { consent, next }: { readonly consent: Consent; readonly next: string },
  ): Promise<void> {
    const { status, retryAfterMs } = failure;
    response.status(status);
    if (retryAfterMs !== undefined) response.set('retry-after', String(Math.ceil(retryAfterMs / second)));
    const visitor = await sessions.visitor(request, clock.now());
    const texts = textsOf(request);
    const title = consent === 'account' ? texts.text('signIn.notSignedIn') : texts.text('signIn.serversUnknown');
    const body = failurePage(title, failure, `${startPaths[consent]}?next=${encodeURIComponent(next)}`, texts);
    renderServicePage(request, response, { title, visitor, body, face });
  }

  for (const consent of ['account', 'servers'] as const) {
    router.get(startPaths[consent], async (request, response) => {
      const next = nextPath.parse(request.query['next']);
      // Discord sends the browser to the public host, which has to read the cookie. `moved` ends a loop if a proxy
      // replaces the host.
      if (request.headers.host !== ownHost && request.query['moved'] === undefined) {
        const query = new URLSearchParams({ next, moved: '1' });
        return response.redirect(303, `${origin}${startPaths[consent]}?${query.toString()}`);
      }
      const attempt = attempts.start(response, `${consent}~${next}`);
      response.redirect(303, await discord.consentUrl(consent, attempt));
    });
  }

  router.get(callbackPath, async (request, response) => {
    const attempt = attempts.finish(request, response);
    if (attempt === null) {
      return sendFailure(request, response, failures.expired, { consent: 'account', next: '/' });
    }
    const [kind, next = '/'] = attempt.data.split('~');
    const started = { consent: kind === 'servers' ? 'servers' : 'account', next } as const;
    const fail = (failure: Failure) => sendFailure(request, response, failure, started);
    const { error } = request.query;
    if (error === 'access_denied') return fail(failures.cancelled);
    if (error !== undefined) {
      log.warn({ consent: started.consent }, 'Discord answered a sign-in with an error');
      return fail(failures[discordErrors.includes(error) ? 'unavailable' : 'rejected']);
    }
    const code = codeIn(request.query);
    if (code === null) return fail(failures.expired);
    await admission.admit(request, 'sign-in', null);
    try {
      const { member, guilds } = await discord.readAccount(started.consent, code, attempt.verifier);
      const now = clock.now();
      const visitor = await sessions.visitor(request, now);
      if (guilds !== null && visitor !== null && visitor.userId !== member.userId) {
        return fail(otherAccount(visitor.username, member.username));
      }
      await upsertMember(database, member);
      if (guilds !== null) await saveProvenGuilds(database, member.userId, guilds, now);
      await sessions.signIn(response, member.userId, now);
      response.redirect(303, guilds === null ? signedInAt(next) : next);
    } catch (thrown) {
      if (!(thrown instanceof OAuthError)) throw thrown;
      const failure = failureOf(thrown);
      if (failure !== failures.expired) log.warn({ reason: messageOf(thrown) }, 'sign-in with Discord failed');
      return fail(failure);
    }
  });

  return router;
}

/** Why a member is not signed in, or the servers are not proven: the status of the response, and the explanation. */
interface Failure {
  readonly status: number;
  readonly explain: (texts: ServiceTexts) => Fragment;
  readonly retryAfterMs?: number;
}

const failures = {
  cancelled: { status: 400, explain: ({ text }) => text('signIn.cancelled') },
  expired: { status: 400, explain: ({ text }) => text('signIn.expired') },
  unavailable: { status: 503, explain: ({ text }) => text('signIn.unavailable') },
  rejected: { status: 502, explain: ({ text }) => text('signIn.rejected') },
} satisfies Record<string, Failure>;

function otherAccount(visitor: string, member: string): Failure {
  const names = { visitor: isolated(visitor), member: isolated(member) };
  return { status: 409, explain: ({ fill }) => fill('signIn.otherAccount', names) };
}

function failureOf({ reason, ...error }: OAuthError): Failure {
  if (reason !== 'rateLimited') return failures[reason === 'revoked' ? 'expired' : reason];
  const retryAfterMs = error.retryAfterMs ?? second;
  // To whole minutes, or seconds of less than a minute.
  const unit = retryAfterMs > minute ? minute : second;
  const wait = Math.ceil(retryAfterMs / unit) * unit;
  const explain: Failure['explain'] = ({ duration, text }) => text('signIn.limited', { wait: duration(wait) });
  return { status: 503, explain, retryAfterMs };
}

/** @param retryPath starts again */
function failurePage(title: string, { explain }: Failure, retryPath: string, texts: ServiceTexts): Html {
  return html`<h1>${title}</h1>
<p>${explain(texts)}</p>
<p><a class="button" href="${retryPath}">${texts.text('signIn.tryDiscordAgain')}</a> <a href="/">${texts.text('frame.home')}</a></p>`;
}
