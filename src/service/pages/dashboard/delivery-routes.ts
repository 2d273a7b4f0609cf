import { Router } from 'express';
import { deliveryRecords } from '../../storage/deliveries/attempts.ts';
import { requeueDelivery } from '../../storage/deliveries/deliveries.ts';
import type { PageDependencies } from '../dependencies.ts';
import { pageNotFound, renderServicePage } from '../render-page.ts';
import type { Dashboard } from './dashboard.ts';
import { deliveriesPage, deliveryLogQuery } from './deliveries-page.ts';
import { dashboardFrame } from './tabs.ts';

const deliveriesPerPage = 25;

/** The log of deliveries, and the form that sends one again. */
export function deliveryRoutes({ sending, queued }: PageDependencies, dashboard: Dashboard): Router {
  const { database, clock } = sending;
  const router = Router();

  router.get('/dashboard/:id/deliveries', async (request, response) => {
    const owned = await dashboard.requireOwnerPage(request, response);
    if (owned === null) return;
    const { listing, visitor } = owned;
    const { before, ...filter } = deliveryLogQuery.parse(request.query);
    const found = await deliveryRecords(database, listing.id, { ...filter, before, limit: deliveriesPerPage + 1 });
    const deliveries = found.slice(0, deliveriesPerPage);
    const pages = { hasNewer: before !== undefined, hasOlder: found.length > deliveries.length };
    const page = deliveriesPage({ listing, visitor, filter, deliveries, ...pages, now: clock.now() });
    const body = dashboardFrame(listing, '/deliveries', 'Webhook deliveries', page);
    renderServicePage(request, response, { title: 'Deliveries', visitor, body });
  });

  router.post('/dashboard/:id/deliveries/:deliveryId/resend', async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request, 'send');
    const { deliveryId } = request.params;
    const isId = /^[0-9a-f-]{36}$/.test(deliveryId);
    if (!isId || !(await requeueDelivery(database, listing.id, deliveryId, clock.now()))) throw pageNotFound();
    queued();
    response.redirect(303, `/dashboard/${listing.id}/deliveries?notice=resent`);
  });

  return router;
}
