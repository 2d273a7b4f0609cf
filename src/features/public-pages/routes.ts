import { codeIn } from '@tallyhook/platform/discord-oauth/authorization-attempts';
import { OAuthError } from '@tallyhook/platform/discord-oauth/oauth-client';
import { messageOf } from '@tallyhook/platform/errors';
import { withoutBold } from '@tallyhook/platform/texts/markup';
import { botIcon, createdLater, lookStyles, serveAsset } from '@tallyhook/platform/web/asset';
import { clientKeyOf, isTrustedProxy } from '@tallyhook/platform/web/client-key';
import { ClientLimit } from '@tallyhook/platform/web/client-limit';
import { rejectCrossSiteForms } from '@tallyhook/platform/web/cross-site';
import { formTokenField, hasFormToken } from '@tallyhook/platform/web/form-token';
import { type Fragment, type Html, html } from '@tallyhook/platform/web/html';
import { HttpError, handleErrors } from '@tallyhook/platform/web/http-error';
import { initials } from '@tallyhook/platform/web/initials';
import { pageFrame } from '@tallyhook/platform/web/page-frame';
import { securityHeaders } from '@tallyhook/platform/web/security-headers';
import express, { type Express, type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { Texts } from '../../texts/texts.ts';
import type { Community } from '../communities/feature.ts';
import type { DrawVotePicture, ServicesContext } from '../parts.ts';
import type { Addresses } from './addresses.ts';
import { type AccountContext, forgetBody, ownPageBody, readAccount } from './own-page.ts';
import { publicPageBody, titleOf } from './page.ts';
import { type MemberSession, type MemberSignIn, signInCallback } from './sign-in.ts';
import { pagesPath, slugPattern } from './slug.ts';
import type { PublicView, ReadView } from './view.ts';
import { boardData, boardPicture, widgetScript } from './widget.ts';

export interface RoutesContext extends Pick<ServicesContext, 'languages' | 'clock' | 'log'>, AccountContext {
  readonly addresses: Pick<Addresses, 'find'>;
  readonly readView: ReadView;
  readonly drawVotePicture: DrawVotePicture;
  readonly memberData: {
    export(userId: string): Promise<string | null>;
    forget(userId: string): Promise<void>;
  };
  /** Null if members cannot sign in: without `DISCORD_CLIENT_SECRET`, `PUBLIC_URL` or a bot token. */
  readonly signIn: MemberSignIn | null;
  readonly publicUrl: string | null;
}

/** Requests of a client in a minute, with those for styles and widgets. */
const maxRequests = 240;
/** Sign-ins and changes of a client in a minute: each costs requests to Discord or writes. */
const maxChanges = 30;
/** How long browsers and proxies may show a page as it was (s). */
const cacheSeconds = 30;
const assetCaching = 'public, max-age=3600';
const maxBodySize = '4kb';
const policy = {
  'default-src': ["'none'"],
  'style-src': ["'self'"],
  'img-src': ["'self'"],
  'form-action': ["'self'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
};
const pageHeaders = securityHeaders({ contentSecurityPolicy: policy, referrerPolicy: 'no-referrer' });

/** A community at an address, as everyone sees it. */
interface Place {
  readonly slug: string;
  readonly community: Community;
  readonly view: PublicView;
}

/**
 * The public pages below {@link pagesPath}, the widget and the picture of each, and the pages of members. What no community
 * has and what is switched off look the same.
 */
export function createPublicRoutes(context: RoutesContext): Express {
  const { languages, log } = context;
  const [requests, changes] = [new ClientLimit(maxRequests), new ClientLimit(maxChanges)];
  const textsOf = (request: Request): Texts => languages.for(...request.acceptsLanguages().slice(0, 10));

  async function placeAt({ params: { slug } }: Request): Promise<Place> {
    const community = typeof slug === 'string' && slugPattern.test(slug) ? await context.addresses.find(slug) : null;
    if (community === null) throw new HttpError(404, 'There is no such page.');
    return { slug: String(slug), community, view: await context.readView(community) };
  }

  const atPlace =
    (handler: (place: Place, request: Request, response: Response) => Promise<void> | void): RequestHandler =>
    async (request, response) =>
      handler(await placeAt(request), request, response);

  const router = Router({ strict: true });
  router.use(pageHeaders, async (request, response, next) => {
    response.set({ vary: 'Accept-Language', 'x-robots-tag': 'noindex' });
    limitBy(await requests.waitMs(clientKeyOf(request.ip)));
    next();
  });
  router.get(
    '/pages.css',
    createdLater(() =>
      serveAsset(new URL('./public-pages.css', import.meta.url), { cacheControl: assetCaching, before: lookStyles() }),
    ),
  );
  router.get(
    '/icon.svg',
    createdLater(() => serveAsset(botIcon(), { cacheControl: assetCaching })),
  );
  if (context.signIn !== null) router.use(memberRoutes(context, context.signIn, { changes, atPlace, textsOf }));
  router.get(
    '/:slug',
    atPlace(({ slug, view }, request, response) => {
      const texts = textsOf(request);
      const ownPage = context.signIn === null ? null : `${slug}/me`;
      response.set('cache-control', cached);
      send(response, {
        ...{ texts, view, root: './', home: `./${slug}`, title: titleOf(view.boards[0], texts) },
        head: previewTags(view, context.publicUrl && `${context.publicUrl}${pagesPath}/${slug}`, texts),
        navigation:
          ownPage && html`<div class="account"><a href="${ownPage}">${texts.text('publicPage.own')}</a></div>`,
        footer: texts.text(ownPage === null ? 'publicPage.footer' : 'publicPage.footerWithPage'),
        body: publicPageBody({ view, ownPage, texts }),
      });
    }),
  );
  router.get(
    '/:slug/widget.js',
    embeddable,
    atPlace(({ slug, view }, request, response) => {
      response.type('js').send(widgetScript(slug, view, textsOf(request)));
    }),
  );
  router.get(
    '/:slug/widget.json',
    embeddable,
    atPlace(({ slug, view }, _request, response) => {
      response.json(boardData(slug, view));
    }),
  );
  router.get(
    '/:slug/picture.svg',
    embeddable,
    atPlace(({ view }, request, response) => {
      response.type('svg').send(boardPicture(view, textsOf(request)).text);
    }),
  );
  router.get(
    '/:slug/picture.png',
    embeddable,
    atPlace(async ({ community }, request, response) => {
      const listings = community.listings.map(({ name }) => name);
      const now = context.clock.now();
      const picture = await context.drawVotePicture({ listings, texts: textsOf(request), scale: 1, now });
      if (picture === null) throw new HttpError(404, 'There is no picture yet.');
      response.type('png').send(Buffer.from(picture.file.content));
    }),
  );
  router.use(() => {
    throw new HttpError(404, 'There is no such page.');
  });
  router.use(
    handleErrors({
      unexpected: new HttpError(503, 'The database is unavailable.', 5),
      log,
      logMessage: 'a public page failed',
      send(error, request, response) {
        const texts = textsOf(request);
        response.set({ 'cache-control': 'no-store' });
        send(response, {
          ...{ texts, view: null, home: '#main', root: relativeRoot(request), title: titleOfError(error, texts) },
          body: outcome('bad', titleOfError(error, texts), explain(error, texts), backToDiscord(texts)),
        });
      },
    }),
  );
  const app = express().disable('x-powered-by').disable('etag').enable('strict routing');
  return app.set('trust proxy', isTrustedProxy).use(pagesPath, router);
}

const cached = `public, max-age=${cacheSeconds}`;

/** For what pages of other sites show. */
const embeddable: RequestHandler = (_request, response, next) => {
  response.set({
    'cache-control': cached,
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
  next();
};

interface MemberRoutes {
  readonly changes: ClientLimit;
  readonly atPlace: (
    handler: (place: Place, request: Request, response: Response) => Promise<void> | void,
  ) => RequestHandler;
  readonly textsOf: (request: Request) => Texts;
}

/** The pages of those who have signed in, each for the own data alone: whose it is comes from the session. */
function memberRoutes(context: RoutesContext, signIn: MemberSignIn, { changes, atPlace, textsOf }: MemberRoutes) {
  const { log, clock, memberData } = context;
  const { attempts, consentUrl, url } = signIn;
  const router = Router({ strict: true });
  const limitChanges: RequestHandler = async (request, _response, next) => {
    limitBy(await changes.waitMs(clientKeyOf(request.ip)));
    next();
  };

  router.get(
    '/:slug/me',
    atPlace(async ({ slug, community, view }, request, response) => {
      const texts = textsOf(request);
      const { text } = texts;
      const session = await signIn.find(request.headers.cookie);
      const page = { texts, view, root: '../', home: `../${slug}`, title: text('publicPage.own') };
      if (session === null) {
        const link = html`<a class="button discord" href="${url}/${slug}/me/sign-in">${text('console.signInWithDiscord')}</a>`;
        const body = html`<section class="card outcome"><h1>${text('publicPage.own')}</h1><p>${text('publicPage.ownHint')}</p><p>${link}</p><p class="quiet">${text('publicPage.signInHint')}</p></section>`;
        return send(response, { ...page, body });
      }
      const now = clock.now();
      const account = await readAccount(community, session.userId, { links: view.links, now }, context);
      const { timeZone } = community;
      send(response, {
        ...page,
        navigation: signOutForm(session, `me/sign-out`, texts),
        footer: texts.text('publicPage.times', { zone: timeZone }),
        body: ownPageBody({ account, session, timeZone, now, texts }),
      });
    }),
  );

  router.get(
    '/:slug/me/sign-in',
    limitChanges,
    atPlace(async ({ slug }, _request, response) => {
      const attempt = attempts.start(response, slug);
      const consent = await consentUrl(attempt).catch((error: unknown) => {
        log.warn({ reason: messageOf(error) }, 'a member could not begin to sign in');
        throw unavailable();
      });
      response.redirect(303, consent);
    }),
  );

  router.get(signInCallback, limitChanges, async (request, response) => {
    const attempt = attempts.finish(request, response);
    const slug = attempt?.data ?? '';
    if (attempt === null || !slugPattern.test(slug)) throw expired();
    if (request.query['error'] !== undefined) return response.redirect(303, `../${slug}/me`);
    const code = codeIn(request.query);
    if (code === null) throw expired();
    await signIn.signIn(response, code, attempt.verifier).catch((thrown: unknown) => {
      if (thrown instanceof OAuthError && thrown.reason === 'revoked') throw expired();
      log.warn({ reason: messageOf(thrown) }, 'a member could not sign in');
      throw unavailable();
    });
    response.redirect(303, `../${slug}/me`);
  });

  /** For what a session alone may do; who has none is sent to the page on which one signs in. */
  const asMember = (
    handler: (session: MemberSession, place: Place, request: Request, response: Response) => Promise<void>,
  ): RequestHandler =>
    atPlace(async (place, request, response) => {
      const session = await signIn.find(request.headers.cookie);
      if (session === null) return response.redirect(303, '../me');
      return handler(session, place, request, response);
    });

  router.get(
    '/:slug/me/export',
    limitChanges,
    asMember(async ({ userId }, _place, _request, response) => {
      const [date] = new Date(clock.now()).toISOString().split('T');
      response.attachment(`my-votes-${date}.json`).type('json');
      response.send((await memberData.export(userId)) ?? '{}');
    }),
  );

  router.get(
    '/:slug/me/forget',
    asMember(async (session, { slug, view }, request, response) => {
      const texts = textsOf(request);
      const title = texts.text('publicPage.forget');
      const page = { texts, view, root: '../../', home: `../../${slug}`, title };
      send(response, { ...page, body: forgetBody(session, texts) });
    }),
  );

  function form(
    path: string,
    handler: (session: MemberSession, place: Place, request: Request, response: Response) => Promise<void>,
  ): void {
    const readBody = express.urlencoded({ extended: false, limit: maxBodySize });
    router.post(
      path,
      limitChanges,
      sameOriginForms,
      readBody,
      asMember(async (session, place, request, response) => {
        if (!hasFormToken(request.body, session)) throw expired();
        return handler(session, place, request, response);
      }),
    );
  }

  form('/:slug/me/reminders', async ({ userId }, { community }, request, response) => {
    const { state } = switchForm.parse(request.body);
    const reminders = context.remindersIn([community]);
    await (state === 'on' ? reminders.switchOn(userId) : reminders.switchOff(userId));
    response.redirect(303, '../me');
  });
  form('/:slug/me/shown', async ({ userId }, { community }, request, response) => {
    const { state } = switchForm.parse(request.body);
    await context.store.publicPages.setShown(community.id, userId, state === 'on');
    response.redirect(303, '../me');
  });
  form('/:slug/me/sign-out', async (session, { slug }, _request, response) => {
    await signIn.signOut(response, session);
    response.redirect(303, `../../${slug}`);
  });
  form('/:slug/me/forget', async (session, { slug, view }, request, response) => {
    await memberData.forget(session.userId);
    await signIn.signOut(response, session);
    const texts = textsOf(request);
    const title = withoutBold(texts.text('privacy.titleForgotten'));
    const body = outcome('good', title, withoutBold(texts.text('privacy.forgotten')));
    send(response, { ...{ texts, view, root: '../../', home: `../../${slug}`, title }, body });
  });
  return router;
}

const switchForm = z.object({ state: z.enum(['on', 'off']).catch('off') });

const sameOriginForms = rejectCrossSiteForms({
  message: 'This form was not sent from a page of this site.',
  allowOpaqueOrigin: true,
});

const expired = () => new HttpError(400, 'This link is not valid any more.');
const unavailable = () => new HttpError(503, 'Discord does not respond at the moment.', 30);

function limitBy(waitMs: number | null): void {
  if (waitMs === null) return;
  throw new HttpError(429, 'Too many requests.', Math.max(1, Math.ceil(waitMs / 1_000)));
}

function titleOfError({ status }: HttpError, { text }: Texts): string {
  return status === 404 ? text('publicPage.notFoundTitle') : text('failure.title');
}

function explain({ status }: HttpError, { text }: Texts): string {
  if (status === 404) return text('publicPage.notFound');
  if (status === 429) return text('webPage.tooMany');
  return status >= 500 ? text('webPage.unavailable') : text('webPage.expired');
}

/** Where somebody finds the address of the right page. */
function backToDiscord({ text }: Texts): Html {
  return html`<p><a class="button" href="https://discord.com/channels/@me">${text('webPage.back')}</a></p>`;
}

function outcome(tone: 'good' | 'bad', title: string, text: string, next: Html | null = null): Html {
  return html`<section class="card outcome"><p class="sign ${tone}" aria-hidden="true">${tone === 'good' ? '✓' : '✗'}</p><h1>${title}</h1><p>${text}</p>${next}</section>`;
}

function signOutForm(session: MemberSession, action: string, { text }: Texts): Html {
  return html`<div class="account"><form method="post" action="${action}">${formTokenField(session)}<button class="plain">${text('console.signOut')}</button></form></div>`;
}

/** Meta tags for previews of links. Discord takes no SVG, and no relative addresses. */
function previewTags({ name, boards: [board] }: PublicView, url: string | null, texts: Texts): Html | null {
  if (url === null) return null;
  return html`<meta property="og:title" content="${name}"><meta property="og:description" content="${titleOf(board, texts)}">
<meta property="og:url" content="${url}"><meta property="og:image" content="${url}/picture.png"><meta name="twitter:card" content="summary_large_image">`;
}

/** The relative URL of {@link pagesPath}, so that pages work under any path of a proxy. */
function relativeRoot({ originalUrl }: Request): string {
  const [path = ''] = originalUrl.split('?', 1);
  const depth = path.split('/').length - 3;
  return depth <= 0 ? './' : '../'.repeat(depth);
}

interface SentPage {
  readonly texts: Texts;
  /** Null for an error, which is of no community. */
  readonly view: PublicView | null;
  /** The relative URL of {@link pagesPath}. */
  readonly root: string;
  /** Where the name at the top leads: to the page of the community. */
  readonly home: string;
  readonly title: string;
  readonly head?: Fragment;
  readonly navigation?: Fragment;
  readonly footer?: Fragment;
  readonly body: Html;
}

function send(response: Response, page: SentPage): void {
  const { texts, view, root, home, title, head = null, navigation = null, footer = null, body } = page;
  const name = view?.name || 'tallyhook';
  const frame = {
    ...{ lang: texts.locale, skip: texts.text('console.skip'), title, siteName: name, head, navigation, footer },
    home: { href: home, text: view === null ? name : html`${initials(name, name)}<bdi>${name}</bdi>` },
    stylesheet: `${root}pages.css`,
    icon: `${root}icon.svg`,
    message: null,
  };
  response.type('html').send(pageFrame(frame, body).text);
}
