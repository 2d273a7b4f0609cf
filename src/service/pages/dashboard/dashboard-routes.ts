import type { Router } from 'express';
import { formatCount } from '../../../platform/durations.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { pagePath } from '../../listing/listing.ts';
import { listingsOfOwner, type StoredListing } from '../../storage/listings/listings.ts';
import { countVotesOfMonth } from '../../storage/votes.ts';
import { addIconForms } from '../icon-routes.ts';
import { kindName, listingIcon } from '../listing-parts.ts';
import type { PageDependencies } from '../page-routes.ts';
import { addCreateRoutes } from './create-routes.ts';
import { Dashboard } from './dashboard.ts';
import { addDeleteRoutes } from './delete-routes.ts';
import { addDeliveryRoutes } from './delivery-routes.ts';
import { addEditForms, addWebhookForms } from './edit-forms.ts';
import { addReviewRoutes } from './owners-review-routes.ts';
import { addStatistics } from './statistics.ts';

const routesOfListing = [
  addEditForms,
  addWebhookForms,
  addIconForms,
  addDeliveryRoutes,
  addReviewRoutes,
  addStatistics,
  addDeleteRoutes,
];

/** The pages and forms of a listing's owner. */
export function dashboardRoutes(dependencies: PageDependencies): Router {
  const { database } = dependencies;
  const dashboard = new Dashboard(dependencies);
  const { routes } = dashboard;

  routes.memberPage('/dashboard', async ({ visitor, now }) => {
    const listings = await listingsOfOwner(database, visitor.userId);
    const withVotes = await Promise.all(
      listings.map(async (listing) => ({
        listing,
        monthlyVotes: await countVotesOfMonth(database, listing.id, now),
      })),
    );
    return { title: 'Dashboard', body: dashboardHome(withVotes) };
  });

  addCreateRoutes(routes, dependencies);
  dashboard.editPage();
  for (const addRoutes of routesOfListing) addRoutes(dashboard, dependencies);
  return routes.router;
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
