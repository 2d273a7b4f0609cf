import { Router } from 'express';
import type { StoredListing } from '../../storage/listings/listings.ts';
import { listingsOfOwner, updateListing } from '../../storage/listings/listings.ts';
import { countVotesOfMonth } from '../../storage/votes.ts';
import type { PageDependencies } from '../dependencies.ts';
import { botForm, listingForm, readForm, serverForm } from '../forms.ts';
import { renderServicePage } from '../render-page.ts';
import { createRoutes } from './create-routes.ts';
import { openDashboard } from './dashboard.ts';
import { deleteRoutes } from './delete-routes.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { dashboardHome } from './home-page.ts';
import { iconRoutes } from './icon-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { ownersReviewRoutes } from './owners-review-routes.ts';
import { statisticsRoutes } from './statistics-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** The pages and forms of a listing's owner. */
export function dashboardRoutes(dependencies: PageDependencies): Router {
  const { sending, sessions } = dependencies;
  const { database, clock } = sending;
  const router = Router();
  const dashboard = openDashboard(dependencies);

  router.get('/dashboard', async (request, response) => {
    const now = clock.now();
    const visitor = await sessions.visitor(request, now);
    if (!visitor) return response.redirect(303, '/sign-in?next=/dashboard');
    const listings = await listingsOfOwner(database, visitor.userId);
    const withVotes = await Promise.all(
      listings.map(async (listing) => ({
        listing,
        monthlyVotes: await countVotesOfMonth(database, listing.id, now),
      })),
    );
    renderServicePage(request, response, { title: 'Dashboard', visitor, body: dashboardHome(withVotes) });
  });

  router.use(createRoutes(dependencies));

  router.get('/dashboard/:id', async (request, response) => {
    const owned = await dashboard.requireOwnerPage(request, response);
    if (owned) await dashboard.render(request, response, owned, null);
  });

  router.post('/dashboard/:id', async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request, 'edit');
    await updateListing(database, withEdits(listing, request.body));
    response.redirect(303, `/dashboard/${listing.id}?notice=saved#basics`);
  });

  router.use(deleteRoutes(dependencies, dashboard));
  router.use(deliveryRoutes(dependencies, dashboard));
  router.use(iconRoutes(dependencies, dashboard));
  router.use(keyRoutes(dependencies, dashboard));
  router.use(ownersReviewRoutes(dependencies, dashboard));
  router.use(statisticsRoutes(dependencies, dashboard));
  router.use(webhookRoutes(dependencies, dashboard));
  return router;
}

/** @throws HttpError 400 */
function withEdits(listing: StoredListing, body: unknown): StoredListing {
  const edits = readForm(listingForm, body);
  return listing.kind === 'server'
    ? { ...listing, ...edits, facts: { ...listing.facts, ...readForm(serverForm, body) } }
    : { ...listing, ...edits, facts: { ...listing.facts, ...readForm(botForm, body) } };
}
