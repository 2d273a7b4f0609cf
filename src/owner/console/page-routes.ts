import { type Request, Router } from 'express';
import { z } from 'zod';
import { paginate } from '../../platform/web/pagination.ts';
import type { OwnerContext } from '../context.ts';
import { getDelivery } from '../get-delivery.ts';
import { getSummary } from '../get-summary.ts';
import {
  deliveriesQuery,
  effectsQuery,
  idParameter,
  memberQuery,
  parseRequest,
  userParameter,
} from '../request-schemas.ts';
import { announcementsPage } from './announcements-page.ts';
import { deliveriesPage } from './deliveries-page.ts';
import { deliveryPage } from './delivery-page.ts';
import { effectsPage, effectTabs } from './effects-page.ts';
import { membersPage, renderMemberPage } from './member-page.ts';
import { sessionMiddleware } from './middleware.ts';
import { overviewPage } from './overview-page.ts';
import { relativeRoot, renderPage } from './render-page.ts';
import { rewardsPage } from './rewards-page.ts';
import type { OwnerSessions } from './session.ts';

/** Rows per page, unless the URL has a `limit`. */
export const defaultPageSize = 25;

const queryParameters = z.record(z.string(), z.string());

/** The pages. They only read. */
export function pageRoutes(context: OwnerContext, sessions: OwnerSessions): Router {
  const { records, cooldowns, clock } = context;
  const router = Router({ strict: true });
  const { requireSession } = sessionMiddleware(sessions);

  router.get(
    '/',
    requireSession(async (request, response, session) => {
      const body = overviewPage(await getSummary(context), './', clock.now());
      renderPage(request, response, { title: 'Overview', session, body });
    }),
  );

  router.get(
    '/deliveries',
    requireSession(async (request, response, session) => {
      const query = listQuery(request);
      const { user, ...parameters } = parseRequest(deliveriesQuery, query);
      const { rows: deliveries, next } = await paginate({ ...parameters, userId: user }, records.deliveries);
      const { limit: _limit, before: _before, ...filter } = parseRequest(queryParameters, request.query);
      const view = { deliveries, filter, listings: [...cooldowns(null).keys()], next, now: clock.now() };
      renderPage(request, response, { title: 'Deliveries', session, body: deliveriesPage(view, './') });
    }),
  );

  router.get(
    '/deliveries/:id',
    requireSession(async (request, response, session) => {
      const details = await getDelivery(context, parseRequest(idParameter, request.params).id);
      const body = deliveryPage(details, relativeRoot(request.path), session);
      renderPage(request, response, { title: `Delivery #${details.delivery.id}`, session, body });
    }),
  );

  router.get(
    '/effects',
    requireSession(async (request, response, session) => {
      const { state: requestedState, ...page } = parseRequest(effectsQuery, listQuery(request));
      const state = requestedState ?? effectTabs[0];
      const [{ rows: effects, next }, counts] = await Promise.all([
        paginate({ ...page, state }, records.effects),
        records.counts(),
      ]);
      const body = effectsPage({ state, effects, counts: counts.effects, next }, './', session);
      renderPage(request, response, { title: 'Effects', session, body });
    }),
  );

  router.get(
    '/rewards',
    requireSession(async (request, response, session) => {
      const { rewards, communities, clock } = context;
      const { standings } = communities.home;
      const [days, party, purchases, reminders, grants, { members: top }] = await Promise.all([
        rewards.votesPerDay(),
        rewards.party(),
        rewards.purchases(),
        rewards.reminders(),
        rewards.grants(),
        standings.leaderboard({ period: 'month', by: 'votes', limit: 10, offset: 0, userId: null }, clock.now()),
      ]);
      const body = rewardsPage({ days, party, purchases, reminders, grants, rules: rewards.rules(), top }, './');
      renderPage(request, response, { title: 'Rewards', session, body });
    }),
  );

  router.get(
    '/announcements',
    requireSession((request, response, session) => {
      const body = announcementsPage(context.announcementPreviews());
      renderPage(request, response, { title: 'Announcements', session, body });
    }),
  );

  router.get(
    '/users',
    requireSession((request, response, session) => {
      const { id } = request.query;
      if (id === undefined)
        return renderPage(request, response, { title: 'Members', session, body: membersPage('./') });
      const { userId } = parseRequest(userParameter, { userId: typeof id === 'string' ? id.trim() : id });
      response.redirect(303, `users/${userId}`);
    }),
  );

  router.get(
    '/users/:userId',
    requireSession(async (request, response, session) => {
      const { userId } = parseRequest(userParameter, request.params);
      const { guildId, ...page } = parseRequest(memberQuery, listQuery(request));
      await renderMemberPage(context, { request, response, session, userId, guildId, page, rejected: null });
    }),
  );

  return router;
}

/** The query of a list: with the console's page size, and without the flash message. */
function listQuery({ query: { notice: _notice, ...query } }: Request) {
  return { limit: String(defaultPageSize), ...query };
}
