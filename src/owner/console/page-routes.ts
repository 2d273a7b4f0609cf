import { randomUUID } from 'node:crypto';
import { isOnCalendar } from '@tallyhook/platform/calendar-date';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { mention, withoutBold } from '@tallyhook/platform/texts/markup';
import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { initials } from '@tallyhook/platform/web/initials';
import type { PageContent } from '@tallyhook/platform/web/page-frame';
import { paginate } from '@tallyhook/platform/web/pagination';
import { type Request, Router } from 'express';
import { z } from 'zod';
import { maxCorrection, overdraws } from '../../core/ledger/correction.ts';
import type { EffectState } from '../../core/outbox/effect-kind.ts';
import type { EffectRecord, OpenProblems } from '../../core/records/records.ts';
import { createCalendar } from '../../core/rewards/calendar.ts';
import type { SmallPicture } from '../../discord/pictures.ts';
import { getDelivery } from '../../features/traces/delivery-details.ts';
import type { OwnerContext } from '../context.ts';
import { searchMembers } from '../names.ts';
import {
  correct,
  decideAlarm,
  decisions,
  findTimeZone,
  fulfilPurchase,
  getOverview,
  listDeliveries,
  listListings,
  replayDelivery,
  replayEffect,
  reverseVotes,
  siteNames,
  siteOf,
} from '../queries.ts';
import {
  type CorrectionRequest,
  correctionRequest,
  deliveriesQuery,
  effectsQuery,
  idParameter,
  listingParameter,
  memberQuery,
  membersQuery,
  parseRequest,
  readIdempotencyKey,
  userParameter,
} from '../request-schemas.ts';
import { createDrawPart, fill, memberLink, type NamedPage, signedCredits, untrustedText, visible } from './cells.ts';
import { deliveriesPage, deliveryPage, type EffectView, effectItem } from './deliveries-page.ts';
import { listingsPage, renderCards, reversalPage } from './listings-page.ts';
import { changesPage, getChanges, logTabs } from './log-page.ts';
import { getMembers, membersPage, renderMemberPage } from './members-page.ts';
import { ConsoleError, explainError, redirectToSlash, type SessionMiddleware } from './middleware.ts';
import { overviewPage } from './overview-page.ts';
import { relativeRoot, renderPage, textsOf } from './render-page.ts';
import { authorOf, type OwnerSession, type OwnerSessions, type Visit } from './session.ts';

/** Rows per page, unless the URL has a `limit`. */
const defaultPageSize = 25;

const queryParameters = z.record(z.string(), z.string());

export function pageRoutes({ requireSession }: Pick<SessionMiddleware, 'requireSession'>): Router {
  const router = Router({ strict: true, mergeParams: true });

  function page(path: string, contentOf: (request: Request, visit: Visit) => Promise<PageContent>): void {
    router.get(
      path,
      requireSession(async (request, response, session) => {
        renderPage(request, response, { ...(await contentOf(request, session)), session });
      }),
    );
  }

  page('/', async (request, session) => {
    const { context } = session;
    const texts = textsOf(request);
    const shown = { root: './', now: context.clock.now(), session, texts };
    const readNames = context.namesIn(context.scope);
    const { cards, names } = {
      cards: context.rewards.cards.filter((card) => card.page !== 'orders'),
      names: await readNames([]),
    };
    const view = { ...shown, cards: await renderCards(cards, context.scope, { ...shown, names, readNames }) };
    return { title: texts.text('console.overview'), body: overviewPage(await getOverview(context), view) };
  });

  page('/deliveries', async (request, { context }) => {
    const listings = context.listings();
    const texts = textsOf(request);
    const parameters = parseRequest(deliveriesQuery, withLocalTimes(listQuery(request), texts.timeZone));
    const { rows: deliveries, next } = await listDeliveries(context, parameters);
    const { limit: _limit, before: _before, ...filter } = parseRequest(queryParameters, request.query);
    const shown = {
      listings: listings.map(({ name }) => name),
      sites: listings.map(siteOf),
      siteOf: siteNames(context),
    };
    const names = await context.namesIn(context.scope)(deliveries.map(({ userId }) => userId));
    const view = { deliveries, filter, ...shown, names, next, now: context.clock.now(), root: './', texts };
    return { title: texts.text('console.deliveries'), body: deliveriesPage(view) };
  });

  page('/deliveries/:id', async (request, session) => {
    const { context } = session;
    const details = await getDelivery(context, parseRequest(idParameter, request.params).id);
    const site = siteNames(context)(details.delivery.listing);
    const names = await context.namesIn(context.scope)([details.delivery.userId]);
    const texts = textsOf(request);
    const body = deliveryPage(details, { root: relativeRoot(request.path), session, site, names, texts });
    return { title: `${texts.text('console.labels.delivery')} #${details.delivery.id}`, body };
  });

  page('/effects', async (request, session) => {
    const { records, namesIn, scope } = session.context;
    const { state: requestedState, ...parameters } = parseRequest(effectsQuery, listQuery(request));
    const state = requestedState ?? effectTabs[0];
    const [{ rows: effects, next }, counts, names] = await Promise.all([
      paginate({ ...parameters, state }, records.effects),
      records.problems(null),
      namesIn(scope)([]),
    ]);
    const texts = textsOf(request);
    const view = { root: './', session, texts, names };
    return { title: texts.text('console.log'), body: effectsPage({ state, effects, counts, next }, view) };
  });

  page('/listings', async (request, session) => {
    const { context } = session;
    const [listings, names] = await Promise.all([listListings(context), context.namesIn(context.scope)([])]);
    const texts = textsOf(request);
    const shown = { root: './', session, texts, names, drawPart: createDrawPart({ log: context.log, texts }) };
    return { title: texts.text('console.listings'), body: listingsPage(listings, shown) };
  });

  page('/orders', async (request, session) => {
    const { context } = session;
    const { rewards, scope } = context;
    const texts = textsOf(request);
    const readNames = context.namesIn(scope);
    const shown = { root: './', session, texts, names: await readNames([]), readNames };
    const cards = await renderCards(
      rewards.cards.filter((card) => card.page === 'orders'),
      scope,
      shown,
    );
    const title = texts.text('console.orders');
    const body = cards.map(
      ({ card, content }) => html`<section class="card" aria-labelledby="${card.id}">${content}</section>`,
    );
    return { title, body: html`<h1 id="orders">${title}</h1>${body}` };
  });

  page('/changes', async (request, session) => {
    const texts = textsOf(request);
    const body = changesPage(await getChanges(session.context), { session, root: './', texts });
    return { title: texts.text('console.log'), body };
  });

  router.get(
    '/pictures/:of',
    requireSession(async (request, response, { context }) => {
      const picture = await findPicture(context, String(request.params['of']));
      response.set('Cache-Control', 'private, max-age=3600');
      response.type(picture?.type ?? 'png').send(picture?.bytes ?? transparent);
    }),
  );

  router.get(
    '/users',
    requireSession(async (request, response, session) => {
      const { id, guildId, from } = parseRequest(membersQuery, listQuery(request, {}));
      if (id !== null && isSnowflake(id)) return response.redirect(303, `users/${id}`);
      const { context } = session;
      const [view, found] = await Promise.all([
        getMembers(context, { guildId, before: from, limit: defaultPageSize }),
        id === null ? null : searchMembers(context, id),
      ]);
      const texts = textsOf(request);
      const shown = { ...view, found: found && { text: id ?? '', members: found } };
      const body = membersPage(shown, { root: './', texts });
      renderPage(request, response, { title: texts.text('console.members'), session, body });
    }),
  );

  router.get(
    '/users/:userId',
    requireSession(async (request, response, session) => {
      const { userId } = parseRequest(userParameter, request.params);
      const { guildId, ...parameters } = parseRequest(memberQuery, listQuery(request));
      const options = { request, response, session, userId, guildId, page: parameters, rejected: null };
      await renderMemberPage(options);
    }),
  );

  return router;
}

/** The query of a list: with the console's page size, and without the flash message. */
function listQuery(
  { query: { notice: _notice, ...query } }: Request,
  defaults: object = { limit: String(defaultPageSize) },
) {
  return { ...defaults, ...query };
}

/** A query whose times, as a browser sends them, are those of a time zone. Others are left to the schema. */
function withLocalTimes(query: Readonly<Record<string, unknown>>, timeZone: string) {
  const { fromLocal } = createCalendar(timeZone);
  const times = (['since', 'until'] as const).flatMap((name) => {
    const local = localTime.safeParse(query[name]);
    return local.success ? [[name, new Date(fromLocal(Date.parse(`${local.data}Z`))).toISOString()]] : [];
  });
  return { ...query, ...Object.fromEntries(times) };
}

/** In the order of the tabs: first what needs the owner's attention. */
const effectTabs = ['buried', 'waiting', 'done'] as const satisfies readonly EffectState[];

interface EffectsView {
  readonly state: EffectState;
  readonly effects: readonly EffectRecord[];
  readonly counts: OpenProblems;
  /** The `before` of the next page; null on the last page. */
  readonly next: number | null;
}

function effectsPage({ state, effects, counts, next }: EffectsView, view: Omit<EffectView, 'returnTo'>): Html {
  const { root, texts } = view;
  const { number, text } = texts;
  const tab = (name: EffectState) =>
    html`<li><a href="${root}effects?state=${name}"${name === state && html` aria-current="true"`}>${text(`console.states.${name}`)}${name !== 'done' && html` <span class="count">${number(counts[name])}</span>`}</a></li>`;
  return html`<h1>${text('console.log')}</h1>
${logTabs('effects', view)}
<section class="card" aria-labelledby="state"><p class="quiet">${text('console.actionsHint')}</p>
<nav aria-label="${text('console.labels.state')}"><ul class="tabs">${effectTabs.map(tab)}</ul></nav><h2 id="state">${text(`console.states.${state}`)}</h2>
${
  effects.length === 0
    ? html`<p>${text('console.noActions')}</p>`
    : html`<ul class="items">${effects.map((effect) => effectItem(effect, { ...view, returnTo: 'effects' }))}</ul>`
}</section>
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?state=${state}&amp;before=${next}">${text('setup.buttons.older')}</a></p>`}`;
}

/** The choice of a server: where a member starts, and for the operator a page of its own. */
export function serverRoutes({ guilds }: Pick<OwnerContext, 'guilds'>, sessions: OwnerSessions): Router {
  const router = Router({ strict: true });

  /**
   * The servers of a session, with names as far as Discord says them. Members see those that they managed when they
   * signed in.
   */
  async function serversOf({ member }: OwnerSession): Promise<readonly { id: string; name: string }[]> {
    const known = guilds.ids();
    const own = member === null ? known : member.guildIds.filter((id) => known.includes(id));
    const named = own.map(async (id) => ({ id, name: (await guilds.reader?.guild(id).catch(() => null))?.name ?? id }));
    return Promise.all(named);
  }

  // What a member finds at the root of the console.
  router.get('/', async (request, response, next) => {
    const session = await sessions.find(request);
    if (session === null || session.member === null) return next();
    const [first, ...others] = session.member.guildIds;
    response.redirect(303, first !== undefined && others.length === 0 ? `servers/${first}/` : 'servers/');
  });

  router.use('/servers', redirectToSlash);
  router.get('/servers/', async (request, response) => {
    const session = await sessions.find(request);
    if (session === null) return response.redirect(303, '../sign-in?next=servers/');
    const servers = await serversOf(session);
    const next = request.query['to'] === 'settings' ? 'settings' : '';
    const { text } = textsOf(request);
    const body = html`<h1>${text('console.servers')}</h1>
${
  servers.length === 0
    ? html`<p class="card">${text('console.noServers')}</p>`
    : html`<ul class="card items">${servers.map(
        ({ id, name }) =>
          html`<li><h2>${initials(name, name, `${id}/pictures/server`)} <a href="${id}/${next}" title="${id}"><bdi>${name}</bdi></a></h2></li>`,
      )}</ul>`
}`;
    renderPage(request, response, { title: text('console.servers'), session, body });
  });

  return router;
}

/** A pixel that shows the initials behind it: for a status like 404, browsers show a broken picture. */
const transparent = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=',
  'base64',
);

/** The picture of the server, or of a member with an account that the visit may see; null without one. */
async function findPicture({ scope, guilds, communities }: OwnerContext, of: string): Promise<SmallPicture | null> {
  const { pictures = null } = guilds;
  if (pictures === null) return null;
  if (of === 'server') return scope === null ? null : pictures.ofGuild(scope.guildId);
  if (!isSnowflake(of)) return null;
  for (const { guildId, ledger } of await communities.of(of)) {
    if (guildId === null) continue;
    const { votes, credits } = await ledger.account(of);
    if (votes > 0 || credits > 0) return pictures.ofMember(guildId, of);
  }
  return null;
}

const replayForm = z.object({ back: z.enum(['delivery', 'effects']).catch('effects') });

/** Invalid fields become empty, so that the page can be shown again. `key`: only in the confirmation. */
const correctionForm = z.object({
  credits: z.string().catch(''),
  reason: z.string().catch(''),
  key: z.unknown().optional(),
  guildId: z.string().optional().catch(undefined),
});
/** A local date and time as a browser sends it. `confirmed`: only in the confirmation. */
const localTime = z
  .string('must be a date and time')
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/, 'must be a date and time')
  .refine(
    (text) => isOnCalendar(text.slice(0, 10)) && !Number.isNaN(Date.parse(`${text}Z`)),
    'must be an existing date',
  );
const reversalForm = z.object({ from: localTime, until: localTime, confirmed: z.unknown().optional() });
type CorrectionForm = z.infer<typeof correctionForm>;

/** The forms. Each submission ends with a redirect, so that reloading the page does not repeat it. */
export function formRoutes({ requireForm, requireSession }: SessionMiddleware): Router {
  const router = Router({ strict: true, mergeParams: true });

  router.post(
    '/deliveries/:id/replay',
    requireForm(async (request, response, session) => {
      const { id } = parseRequest(idParameter, request.params);
      const { outcome } = await replayDelivery(session.context, id, authorOf(session));
      response.redirect(303, `../${id}?notice=replayed-${outcome}`);
    }),
  );

  router.post(
    '/orders/:id/done',
    requireForm(async (request, response, session) => {
      const { context } = session;
      const { id } = parseRequest(idParameter, request.params);
      await fulfilPurchase(context, id, { guildId: context.scope?.guildId ?? null, author: authorOf(session) });
      response.redirect(303, '../../orders?notice=fulfilled');
    }),
  );

  router.post(
    '/effects/:id/replay',
    requireForm(async (request, response, session) => {
      const { back } = parseRequest(replayForm, request.body);
      const { deliveryId } = await replayEffect(
        session.context,
        parseRequest(idParameter, request.params).id,
        authorOf(session),
      );
      const page = back === 'delivery' && deliveryId !== null ? `deliveries/${deliveryId}` : 'effects';
      response.redirect(303, `../../${page}?notice=revived`);
    }),
  );

  router.post(
    '/users/:userId/corrections',
    requireForm(async (request, response, session) => {
      const { context } = session;
      const { userId } = parseRequest(userParameter, request.params);
      const form = parseRequest(correctionForm, request.body);
      const texts = textsOf(request);
      try {
        const correction = readCorrection(form);
        if (form.key !== undefined) {
          const { repeated } = await correct(context, userId, correction, {
            idempotencyKey: readIdempotencyKey(form.key),
            author: authorOf(session),
          });
          const { guildId } = correction;
          const shown = guildId === undefined ? '' : `&guildId=${guildId}`;
          return response.redirect(303, `../${userId}?notice=${repeated ? 'repeated' : 'corrected'}${shown}`);
        }
        const { communities } = context;
        const { guildId } = correction;
        const { ledger } = communities.at(guildId ?? null);
        const account = await ledger.account(userId);
        if (overdraws(account.credits, correction.credits)) {
          throw new ConsoleError(409, ({ text }) =>
            text('award.overdrawn', {
              user: mention(userId),
              credits: text('parts.credits', { count: account.credits }),
            }),
          );
        }
        const names = await context.namesIn(context.scope)([userId]);
        const options = { root: relativeRoot(request.path), texts, names, session, idempotencyKey: randomUUID() };
        const body = confirmationPage(account, correction, options);
        renderPage(request, response, { title: texts.text('console.correct.title'), session, body });
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        response.status(error.status);
        const message = explainError(error, texts);
        const rejectedForm = { credits: form.credits, reason: form.reason, message };
        const page = { limit: defaultPageSize, before: null };
        await renderMemberPage({
          request,
          response,
          session,
          userId,
          guildId: form.guildId ?? null,
          page,
          rejected: rejectedForm,
        });
      }
    }),
  );

  for (const decision of decisions) {
    router.post(
      `/listings/:listing/${decision}`,
      requireForm(async (request, response, { context }) => {
        await decideAlarm(context, parseRequest(listingParameter, request.params).listing, decision);
        response.redirect(303, `../../listings?notice=${decision}`);
      }),
    );
  }

  router.post(
    '/listings/:listing/reversals',
    requireForm(async (request, response, session) => {
      const { context } = session;
      const { listing } = parseRequest(listingParameter, request.params);
      const { confirmed, ...fields } = parseRequest(reversalForm, request.body);
      const { fromLocal } = createCalendar(findTimeZone(context, listing));
      const timeOf = (text: string) => fromLocal(Date.parse(`${text}Z`));
      const range = { listing, from: timeOf(fields.from), until: timeOf(fields.until) };
      if (range.from >= range.until) throw new ConsoleError(400, ({ text }) => text('console.reversal.order'));
      const totals = await reverseVotes(context, range, confirmed === undefined);
      if (confirmed !== undefined) return response.redirect(303, '../../listings?notice=reversed');
      const [texts, names] = [textsOf(request), await context.namesIn(context.scope)([])];
      const body = reversalPage(range, totals, { root: relativeRoot(request.path), session, texts, names, fields });
      renderPage(request, response, { title: texts.text('console.reversal.title'), session, body });
    }),
  );

  // For reloading the pages with a rejected or unconfirmed form.
  router.get(
    '/listings/:listing/reversals',
    requireSession((_request, response) => response.redirect(303, '../../listings')),
  );
  router.get(
    '/users/:userId/corrections',
    requireSession((request, response) => {
      response.redirect(303, `../${parseRequest(userParameter, request.params).userId}`);
    }),
  );

  return router;
}

/** @throws ConsoleError 400 */
function readCorrection({ credits, reason, guildId }: CorrectionForm): CorrectionRequest {
  const amount = /^\s*[+-]?\d{1,9}\s*$/.test(credits) ? Number(credits) : Number.NaN;
  const parsed = correctionRequest.safeParse({ credits: amount, reason, guildId });
  if (parsed.success) return parsed.data;
  throw new ConsoleError(400, ({ text }) => text('award.invalid', { max: maxCorrection }));
}

/** The confirmation before a correction. @param page `idempotencyKey`: sending the form twice corrects once */
function confirmationPage(
  { userId, credits: balance }: { readonly userId: string; readonly credits: number },
  { credits, reason }: CorrectionRequest,
  page: NamedPage & { readonly session: OwnerSession; readonly idempotencyKey: string },
): Html {
  const { root, session, texts, names, idempotencyKey } = page;
  const { text } = texts;

  const amount = (value: number) => withoutBold(texts.text('parts.credits', { count: value }));
  const name = html`<bdi>${visible(names?.member(userId) ?? userId)}</bdi>`;
  return html`<div class="narrow"><p class="trail"><a href="${root}users/${userId}">${fill(texts, 'console.memberTitle', { name: name })}</a></p>
<h1>${text('console.correct.question')}</h1>
<section class="card"><dl class="facts">
<div><dt>${text('console.labels.member')}</dt><dd>${memberLink(userId, page)}</dd></div><div><dt>${text('credits.causes.correction')}</dt><dd>${signedCredits(credits, texts)}</dd></div>
<div><dt>${text('console.labels.balance')}</dt><dd>${amount(balance)} → ${amount(balance + credits)}</dd></div>
<div><dt>${text('console.labels.reason')}</dt><dd>${untrustedText(reason)}</dd></div></dl>
<form class="line" method="post" action="${root}users/${userId}/corrections">${formTokenField(session)}
<input type="hidden" name="credits" value="${credits}"><input type="hidden" name="reason" value="${reason}">
<input type="hidden" name="key" value="${idempotencyKey}">
<button>${text('setup.buttons.confirm')}</button> <a href="${root}users/${userId}">${text('setup.buttons.cancel')}</a></form></section></div>`;
}
