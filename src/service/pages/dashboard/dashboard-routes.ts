import { Router } from 'express';
import { issueKey } from '../../actions/issue-key.ts';
import { requeueDelivery } from '../../storage/deliveries.ts';
import { revokeKey } from '../../storage/keys.ts';
import { listingsOfOwner, updateListing } from '../../storage/listings.ts';
import type { PageDependencies } from '../dependencies.ts';
import { keyForm, listingForm, readForm } from '../forms.ts';
import { dashboardHome } from '../home-page.ts';
import { pageNotFound, renderServicePage } from '../render-page.ts';
import { openDashboard } from './dashboard.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** The pages and forms of a listing's owner. */
export function dashboardRoutes(dependencies: PageDependencies): Router {
  const { sending, sessions, queued } = dependencies;
  const { database, clock } = sending;
  const router = Router();

  const dashboard = openDashboard(dependencies);

  router.get('/dashboard', async (request, response) => {
    const visitor = await sessions.visitor(request, clock.now());
    if (!visitor) return response.redirect(303, '/sign-in?next=/dashboard');
    const listings = await listingsOfOwner(database, visitor.userId);
    renderServicePage(request, response, { title: 'Dashboard', visitor, body: dashboardHome(listings) });
  });

  router.get('/dashboard/:id', async (request, response) => {
    const visitor = await sessions.visitor(request, clock.now());
    if (!visitor) return response.redirect(303, `/sign-in?next=${encodeURIComponent(request.path)}`);
    await dashboard.render(request, response, await dashboard.requireOwner(request.params.id, visitor), null);
  });

  router.post('/dashboard/:id', async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request);
    await updateListing(database, { ...listing, ...readForm(listingForm, request.body) });
    response.redirect(303, `/dashboard/${listing.id}?notice=saved`);
  });

  router.post('/dashboard/:id/deliveries/:deliveryId/resend', async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request);
    if (!(await requeueDelivery(database, listing.id, request.params.deliveryId, clock.now()))) throw pageNotFound();
    queued();
    response.redirect(303, `/dashboard/${listing.id}?notice=resent#deliveries`);
  });

  router.post('/dashboard/:id/keys', async (request, response) => {
    const owned = await dashboard.requireOwnerForm(request);
    const { label } = readForm(keyForm, request.body);
    const secret = await issueKey(database, owned.listing, label, clock.now());
    await dashboard.render(request, response, owned, { name: `API key "${label}"`, secret });
  });

  router.post('/dashboard/:id/keys/:keyId/revoke', async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request);
    const keyId = Number(request.params.keyId);
    if (!Number.isSafeInteger(keyId) || !(await revokeKey(database, listing.id, keyId, clock.now())))
      throw pageNotFound();
    response.redirect(303, `/dashboard/${listing.id}?notice=revoked#advanced`);
  });

  router.use(webhookRoutes(dependencies, dashboard));
  return router;
}
