import { Router } from 'express';
import { issueKey } from '../actions/issue-key.ts';
import { requeueDelivery } from '../storage/deliveries.ts';
import { revokeKey } from '../storage/keys.ts';
import { listingsOfOwner, updateListing } from '../storage/listings.ts';
import { openDashboard } from './dashboard.ts';
import { type PageDependencies, renderServicePage } from './dependencies.ts';
import { keyForm, listingForm, readForm } from './forms.ts';
import { dashboardHome } from './home-page.ts';
import { notFound } from './page-error.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** What only a listing's owner may see and do. */
export function dashboardRoutes(rooms: PageDependencies): Router {
  const { sending, sessions, queued } = rooms;
  const { database, clock } = sending;
  const router = Router();

  const dashboard = openDashboard(rooms);

  router.get('/dashboard', async (request, response) => {
    const visitor = await sessions.visitor(request, clock.now());
    if (!visitor) return response.redirect(303, '/sign-in?next=/dashboard');
    const listings = await listingsOfOwner(database, visitor.userId);
    renderServicePage(request, response, { title: 'Dashboard', visitor, body: dashboardHome(listings) });
  });

  router.get('/dashboard/:id', async (request, response) => {
    const visitor = await sessions.visitor(request, clock.now());
    if (!visitor) return response.redirect(303, `/sign-in?next=${encodeURIComponent(request.path)}`);
    await dashboard.show(request, response, await dashboard.owned(request.params.id, visitor), null);
  });

  router.post('/dashboard/:id', async (request, response) => {
    const { listing } = await dashboard.posted(request);
    await updateListing(database, { ...listing, ...readForm(listingForm, request.body) });
    response.redirect(303, `/dashboard/${listing.id}?notice=saved`);
  });

  router.post('/dashboard/:id/deliveries/:deliveryId/resend', async (request, response) => {
    const { listing } = await dashboard.posted(request);
    if (!(await requeueDelivery(database, listing.id, request.params.deliveryId, clock.now()))) throw notFound();
    queued();
    response.redirect(303, `/dashboard/${listing.id}?notice=resent#deliveries`);
  });

  router.post('/dashboard/:id/keys', async (request, response) => {
    const owner = await dashboard.posted(request);
    const { label } = readForm(keyForm, request.body);
    const secret = await issueKey(database, owner.listing, label, clock.now());
    await dashboard.show(request, response, owner, { what: `API key "${label}"`, secret });
  });

  router.post('/dashboard/:id/keys/:keyId/revoke', async (request, response) => {
    const { listing } = await dashboard.posted(request);
    const keyId = Number(request.params.keyId);
    if (!Number.isSafeInteger(keyId) || !(await revokeKey(database, listing.id, keyId, clock.now()))) throw notFound();
    response.redirect(303, `/dashboard/${listing.id}?notice=revoked#advanced`);
  });

  router.use(webhookRoutes(rooms, dashboard));
  return router;
}
