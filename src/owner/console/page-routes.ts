import { isSnowflake } from '@tallyhook/platform/snowflake';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { PageContent } from '@tallyhook/platform/web/page-frame';
import { paginate } from '@tallyhook/platform/web/pagination';
import { type Request, Router } from 'express';
import { z } from 'zod';
import type { EffectState } from '../../core/outbox/effect-kind.ts';
import type { EffectRecord, OpenProblems } from '../../core/records/records.ts';
import { getDelivery } from '../../features/traces/delivery-details.ts';
import type { OwnerContext } from '../context.ts';
import { listListings } from '../listings.ts';
import { searchMembers } from '../names.ts';
import { getOverview, listDeliveries, siteNames } from '../queries.ts';
import {
  deliveriesQuery,
  effectsQuery,
  idParameter,
  memberQuery,
  membersQuery,
  parseRequest,
  userParameter,
} from '../request-schemas.ts';
import { announcementsPage } from './announcements/announcements-page.ts';
import { createDrawPart } from './cells.ts';
import { changesPage, getChanges } from './changes-page.ts';
import { deliveriesPage } from './deliveries-page.ts';
import { deliveryPage } from './delivery-page.ts';
import { type EffectView, effectItem } from './effect-item.ts';
import { listingsPage } from './listings-page.ts';
import { renderMemberPage } from './member-page.ts';
import { getMembers, membersPage } from './members-page.ts';
import { redirectToSlash, type SessionMiddleware } from './middleware.ts';
import { overviewPage } from './overview-page.ts';
import { consoleRoot, relativeRoot, renderPage, textsOf } from './render-page.ts';
import { renderCards, rewardsPage } from './rewards-page.ts';
import type { OwnerSession, OwnerSessions, Visit } from './session.ts';

/** Rows per page, unless the URL has a `limit`. */
export const defaultPageSize = 25;

const queryParameters = z.record(z.string(), z.string());

/** The pages. They only read. */
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

  page('/', async (request, { context }) => {
    const texts = textsOf(request);
    const shown = { root: './', now: context.clock.now(), texts };
    return { title: texts.text('console.overview'), body: overviewPage(await getOverview(context), shown) };
  });

  page('/deliveries', async (request, { context }) => {
    const { cooldowns, sites, clock } = context;
    const parameters = parseRequest(deliveriesQuery, listQuery(request));
    const { rows: deliveries, next } = await listDeliveries(context, parameters);
    const { limit: _limit, before: _before, ...filter } = parseRequest(queryParameters, request.query);
    const shown = { listings: [...cooldowns(null).keys()], sites: [...sites().values()], siteOf: siteNames(context) };
    const names = await context.namesIn(context.scope)(deliveries.map(({ userId }) => userId));
    const texts = textsOf(request);
    const view = { deliveries, filter, ...shown, names, next, now: clock.now(), root: './', texts };
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
    return { title: texts.text('console.actions'), body: effectsPage({ state, effects, counts, next }, view) };
  });

  page('/listings', async (request, session) => {
    const { context } = session;
    const [listings, names] = await Promise.all([listListings(context), context.namesIn(context.scope)([])]);
    const texts = textsOf(request);
    const shown = { root: './', session, texts, names, drawPart: createDrawPart({ log: context.log, texts }) };
    return { title: texts.text('console.listings'), body: listingsPage(listings, shown) };
  });

  page('/rewards', async (request, { context }) => {
    const { rewards, scope } = context;
    const texts = textsOf(request);
    const shown = { root: './', texts, names: await context.namesIn(scope)([]) };
    const view = { cards: await renderCards(rewards.cards, scope, shown), rules: rewards.rules() };
    return { title: texts.text('console.rewards'), body: rewardsPage(view, shown) };
  });

  page('/changes', async (request, { context }) => {
    const texts = textsOf(request);
    const body = changesPage(await getChanges(context), { isOfServer: context.scope !== null, root: './', texts });
    return { title: texts.text('console.changes'), body };
  });

  page('/announcements', async (request, { context }) => {
    const texts = textsOf(request);
    return {
      title: texts.text('console.announcements'),
      body: await announcementsPage(context, texts, consoleRoot(request)),
    };
  });

  router.get(
    '/users',
    requireSession(async (request, response, session) => {
      const { id, guildId, from } = parseRequest(membersQuery, listQuery(request, {}));
      if (id !== null && isSnowflake(id)) return response.redirect(303, `users/${id}`);
      const { context } = session;
      const [view, found] = await Promise.all([
        getMembers(context, { guildId, offset: from, limit: defaultPageSize }),
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
  return html`<h1>${text('console.actions')}</h1>
<p class="quiet">${text('console.actionsHint')}</p>
<nav aria-label="${text('console.labels.state')}"><ul class="tabs">${effectTabs.map(tab)}</ul></nav>
<section class="card" aria-labelledby="state"><h2 id="state">${text(`console.states.${state}`)}</h2>${
    effects.length === 0
      ? html`<p>${text('console.noActions')}</p>`
      : html`<ul class="items">${effects.map((effect) => effectItem(effect, { ...view, returnTo: 'effects' }))}</ul>`
  }</section>
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?state=${state}&amp;before=${next}">${text('setup.buttons.older')}</a></p>`}`;
}

/** The choice of a server: where a member starts, and for the operator a page of its own. */
export function serverRoutes({ guilds }: Pick<OwnerContext, 'guilds'>, sessions: OwnerSessions): Router {
  const router = Router({ strict: true });

  /** With names as far as Discord says them. Members see those that they managed when they signed in. */
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
    const { text } = textsOf(request);
    const body = html`<h1>${text('console.servers')}</h1>
${
  servers.length === 0
    ? html`<p class="card">${text('console.noServers')}</p>`
    : html`<ul class="card items">${servers.map(
        ({ id, name }) => html`<li><h2><a href="${id}/" title="${id}"><bdi>${name}</bdi></a></h2></li>`,
      )}</ul>`
}`;
    renderPage(request, response, { title: text('console.servers'), session, body });
  });

  return router;
}
