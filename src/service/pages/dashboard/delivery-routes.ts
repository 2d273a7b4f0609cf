import { Router } from 'express';
import { deliveryRecords } from '../../storage/deliveries/attempts.ts';
import { requeueDelivery } from '../../storage/deliveries/deliveries.ts';
import type { PageDependencies } from '../dependencies.ts';
import { pageNotFound } from '../render-page.ts';
import type { Dashboard } from './dashboard.ts';
import { deliveriesPage, deliveryLogQuery } from './deliveries-page.ts';

const deliveriesPerPage = 25;

/** The log of deliveries, and the form that sends one again. */
export function deliveryRoutes({ sending, queued }: PageDependencies, dashboard: Dashboard): Router {
  const { database, clock } = sending;
  const router = Router();

  const titles = { title: 'Deliveries', heading: 'Webhook deliveries' };
  dashboard.page(router, '/deliveries', titles, async (owned, request) => {
    const { before, ...filter } = deliveryLogQuery.parse(request.query);
    const found = await deliveryRecords(database, owned.listing.id, {
      ...filter,
      before,
      limit: deliveriesPerPage + 1,
    });
    const deliveries = found.slice(0, deliveriesPerPage);
    const pages = { hasNewer: before !== undefined, hasOlder: found.length > deliveries.length };
    return deliveriesPage({ ...owned, filter, deliveries, ...pages, now: clock.now() });
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
