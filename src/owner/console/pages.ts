import { Router } from 'express';
import { askedDeliveries, askedEffects, askedId, askedPage, askedUser, read } from '../asked.ts';
import type { OwnerServices } from '../services.ts';
import { stretchOf } from '../stretch.ts';
import { tellDelivery } from '../tell-delivery.ts';
import { tellSummary } from '../tell-summary.ts';
import { deliveriesPage } from './deliveries-page.ts';
import { deliveryPage } from './delivery-page.ts';
import { effectsPage, tabs } from './effects-page.ts';
import { forSignedIn } from './guards.ts';
import { showMember } from './member.ts';
import { membersPage } from './member-search.ts';
import { overviewPage } from './overview-page.ts';
import type { Sessions } from './session.ts';
import { show, upFrom } from './show.ts';

/** How many rows a page's list has unless its address says otherwise. */
const usualRows = '25';

/** The pages that are looked at. Nothing changes by looking. */
export function pageRoutes(services: OwnerServices, sessions: Sessions): Router {
  const { records, cooldowns, clock } = services;
  const router = Router({ strict: true });
  const { seen } = forSignedIn(sessions);

  router.get(
    '/',
    seen(async (request, response, session) => {
      const body = overviewPage(await tellSummary(services), './', clock.now());
      show(request, response, { title: 'Overview', session, body });
    }),
  );

  router.get(
    '/deliveries',
    seen(async (request, response, session) => {
      const { notice: _notice, ...given } = request.query;
      const { user, ...asked } = read(askedDeliveries, { limit: usualRows, ...given });
      const { rows: deliveries, next } = await stretchOf({ ...asked, userId: user }, records.deliveries);
      const { before: _before, ...filter } = given as Readonly<Record<string, string>>;
      const view = { deliveries, filter, listings: [...cooldowns.keys()], next, now: clock.now() };
      show(request, response, { title: 'Deliveries', session, body: deliveriesPage(view, './') });
    }),
  );

  router.get(
    '/deliveries/:id',
    seen(async (request, response, session) => {
      const story = await tellDelivery(services, read(askedId, request.params).id);
      const body = deliveryPage(story, upFrom(request.path), session);
      show(request, response, { title: `Delivery #${story.delivery.id}`, session, body });
    }),
  );

  router.get(
    '/effects',
    seen(async (request, response, session) => {
      const { notice: _notice, ...given } = request.query;
      const { state: asked, ...page } = read(askedEffects, { limit: usualRows, ...given });
      const state = asked ?? tabs[0];
      const [{ rows: effects, next }, { effects: sizes }] = await Promise.all([
        stretchOf({ ...page, state }, records.effects),
        records.counts(),
      ]);
      const view = { state, effects, sizes, next };
      show(request, response, { title: 'Effects', session, body: effectsPage(view, './', session) });
    }),
  );

  router.get(
    '/users',
    seen((request, response, session) => {
      const { id } = request.query;
      if (id === undefined) return show(request, response, { title: 'Members', session, body: membersPage('./') });
      const { userId } = read(askedUser, { userId: typeof id === 'string' ? id.trim() : id });
      response.redirect(303, `users/${userId}`);
    }),
  );

  router.get(
    '/users/:userId',
    seen(async (request, response, session) => {
      const { notice: _notice, ...given } = request.query;
      const { userId } = read(askedUser, request.params);
      const page = read(askedPage, { limit: usualRows, ...given });
      await showMember(services, { request, response, session, userId, page, draft: null });
    }),
  );

  return router;
}
