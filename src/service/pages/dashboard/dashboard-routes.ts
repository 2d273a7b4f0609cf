import { Router } from 'express';
import { formatCount } from '../../../platform/durations.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { pagePath } from '../../listing/listing.ts';
import { listingsOfOwner, type StoredListing, updateListing } from '../../storage/listings/listings.ts';
import { countVotesOfMonth } from '../../storage/votes.ts';
import type { PageDependencies } from '../dependencies.ts';
import { botForm, listingForm, readForm, serverForm } from '../forms.ts';
import { kindName, listingIcon } from '../listing-parts.ts';
import { renderServicePage } from '../render-page.ts';
import { createRoutes } from './create-routes.ts';
import { openDashboard } from './dashboard.ts';
import { deleteRoutes } from './delete-routes.ts';
import { deliveryRoutes } from './delivery-routes.ts';
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

const stateNames = { published: null, pending: 'waits for approval', hidden: 'hidden', deleting: 'being deleted' };

/** A listing of the owner, with its votes of this month. */
interface OwnListing {
  readonly listing: StoredListing;
  readonly monthlyVotes: number;
}

/** The listings of an owner. */
function dashboardHome(listings: readonly OwnListing[]): Html {
  return html`<div class="spread"><h1>Dashboard</h1><p class="line"><a class="button" href="/dashboard/new">Add a server or bot</a> <a href="/your-data">Your data</a></p></div>
<ul class="cards">${listings.map(card)}</ul>
${listings.length === 0 && html`<p class="empty">You have no listings yet.</p>`}`;
}

function card({ listing, monthlyVotes }: OwnListing): Html {
  const state = stateNames[listing.state];
  const isDeleting = listing.state === 'deleting';
  return html`<li class="card"><div class="head">${listingIcon(listing, 'small')}
  <div><h2 dir="auto">${listing.name}</h2>
  <p class="quiet">${kindName(listing)} · ${formatCount(monthlyVotes, 'vote')} this month</p></div></div>
  ${state && html`<p><span class="state">${state}</span></p>`}
  ${!isDeleting && html`<p class="line"><a class="button" href="/dashboard/${listing.id}">Edit ${listing.kind}</a> <a href="/dashboard/${listing.id}/statistics">Statistics</a> <a href="${pagePath(listing)}">Public page</a></p>`}</li>`;
}
