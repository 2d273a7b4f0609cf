import { Router } from 'express';
import type { OwnerContext } from '../context.ts';
import { getDelivery } from '../get-delivery.ts';
import { getSummary } from '../get-summary.ts';
import { paginate } from '../paginate.ts';
import {
  deliveriesQuery,
  effectsQuery,
  idParameter,
  pageQuery,
  parseRequest,
  userParameter,
} from '../request-schemas.ts';
import { deliveriesPage } from './deliveries-page.ts';
import { deliveryPage } from './delivery-page.ts';
import { effectsPage, tabs } from './effects-page.ts';
import { showMember } from './member.ts';
import { membersPage } from './member-search.ts';
import { requireSession } from './middleware.ts';
import { overviewPage } from './overview-page.ts';
import { renderPage, upFrom } from './render-page.ts';
import type { OwnerSessions } from './session.ts';

/** How many rows a page's list has unless its address says otherwise. */
const usualRows = '25';

/** The pages that are looked at. Nothing changes by looking. */
export function pageRoutes(services: OwnerContext, sessions: OwnerSessions): Router {
  const { records, cooldowns, clock } = services;
  const router = Router({ strict: true });
  const { seen } = requireSession(sessions);

  router.get(
    '/',
    seen(async (request, response, session) => {
      const body = overviewPage(await getSummary(services), './', clock.now());
      renderPage(request, response, { title: 'Overview', session, body });
    }),
  );

  router.get(
    '/deliveries',
    seen(async (request, response, session) => {
      const { notice: _notice, ...given } = request.query;
      const { user, ...asked } = parseRequest(deliveriesQuery, { limit: usualRows, ...given });
      const { rows: deliveries, next } = await paginate({ ...asked, userId: user }, records.deliveries);
      const { before: _before, ...filter } = given as Readonly<Record<string, string>>;
      const view = { deliveries, filter, listings: [...cooldowns.keys()], next, now: clock.now() };
      renderPage(request, response, { title: 'Deliveries', session, body: deliveriesPage(view, './') });
    }),
  );

  router.get(
    '/deliveries/:id',
    seen(async (request, response, session) => {
      const story = await getDelivery(services, parseRequest(idParameter, request.params).id);
      const body = deliveryPage(story, upFrom(request.path), session);
      renderPage(request, response, { title: `Delivery #${story.delivery.id}`, session, body });
    }),
  );

  router.get(
    '/effects',
    seen(async (request, response, session) => {
      const { notice: _notice, ...given } = request.query;
      const { state: asked, ...page } = parseRequest(effectsQuery, { limit: usualRows, ...given });
      const state = asked ?? tabs[0];
      const [{ rows: effects, next }, { effects: sizes }] = await Promise.all([
        paginate({ ...page, state }, records.effects),
        records.counts(),
      ]);
      const view = { state, effects, sizes, next };
      renderPage(request, response, { title: 'Effects', session, body: effectsPage(view, './', session) });
    }),
  );

  router.get(
    '/users',
    seen((request, response, session) => {
      const { id } = request.query;
      if (id === undefined)
        return renderPage(request, response, { title: 'Members', session, body: membersPage('./') });
      const { userId } = parseRequest(userParameter, { userId: typeof id === 'string' ? id.trim() : id });
      response.redirect(303, `users/${userId}`);
    }),
  );

  router.get(
    '/users/:userId',
    seen(async (request, response, session) => {
      const { notice: _notice, ...given } = request.query;
      const { userId } = parseRequest(userParameter, request.params);
      const page = parseRequest(pageQuery, { limit: usualRows, ...given });
      await showMember(services, { request, response, session, userId, page, draft: null });
    }),
  );

  return router;
}
