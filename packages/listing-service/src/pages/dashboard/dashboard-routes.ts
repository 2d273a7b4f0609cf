import { type Html, html } from '@tallyhook/platform/web/html';
import type { Router } from 'express';
import { pagePath } from '../../listing/listing.ts';
import { listingsOfMember, type StoredListing } from '../../storage/listings/listings.ts';
import { countVotesOfMonth } from '../../storage/votes.ts';
import type { ServiceTexts } from '../../texts/texts.ts';
import { addIconForms } from '../icon-routes.ts';
import { kindAndVotes, listingIcon } from '../listing-parts.ts';
import type { PageDependencies } from '../page-routes.ts';
import type { Visitor } from '../session.ts';
import { addCreateRoutes } from './create-routes.ts';
import { Dashboard } from './dashboard.ts';
import { addDeleteRoutes } from './delete-routes.ts';
import { addDeliveryRoutes } from './delivery-routes.ts';
import { addEditForms, addInviteForm, addWebhookForms } from './edit-forms.ts';
import { addOwnerRoutes } from './owner-routes.ts';
import { addReviewRoutes } from './owners-review-routes.ts';
import { addStatistics } from './statistics.ts';

const routesOfListing = [
  addEditForms,
  addInviteForm,
  addWebhookForms,
  addIconForms,
  addDeliveryRoutes,
  addReviewRoutes,
  addOwnerRoutes,
  addStatistics,
  addDeleteRoutes,
];

/** The pages and forms of a listing's owner. */
export function dashboardRoutes(dependencies: PageDependencies): Router {
  const { database } = dependencies;
  const dashboard = new Dashboard(dependencies);
  const { routes } = dashboard;

  routes.memberPage('/dashboard', async ({ visitor, now, texts }) => {
    const listings = await listingsOfMember(database, visitor.userId);
    const withVotes = await Promise.all(
      listings.map(async (listing) => ({ listing, monthlyVotes: await countVotesOfMonth(database, listing.id, now) })),
    );
    return { title: texts.text('frame.dashboard'), body: dashboardHome(withVotes, visitor, texts) };
  });

  addCreateRoutes(routes, dependencies);
  dashboard.editPage();
  for (const addRoutes of routesOfListing) addRoutes(dashboard, dependencies);
  return routes.router;
}

interface OwnListing {
  readonly listing: StoredListing;
  readonly monthlyVotes: number;
}

function dashboardHome(listings: readonly OwnListing[], visitor: Visitor, texts: ServiceTexts): Html {
  const { text } = texts;
  return html`<div class="spread"><h1>${text('frame.dashboard')}</h1><p class="line"><a class="button" href="/dashboard/new">${text('dashboard.add')}</a> <a href="/your-data">${text('frame.yourData')}</a></p></div>
<ul class="cards">${listings.map((own) => card(own, visitor, texts))}</ul>
${listings.length === 0 && html`<p class="empty">${text('dashboard.none')}</p>`}`;
}

function card({ listing, monthlyVotes }: OwnListing, { userId }: Visitor, texts: ServiceTexts): Html {
  const { text } = texts;
  const states = [
    ...(listing.state === 'published' ? [] : [text(`dashboard.states.${listing.state}`)]),
    ...(listing.ownerId === userId ? [] : [text('owners.coOwner')]),
  ];
  const isDeleting = listing.state === 'deleting';
  return html`<li class="card"><div class="head">${listingIcon(listing, 'small')}
  <div><h2><span dir="auto">${listing.name}</span></h2>
  ${kindAndVotes(listing, monthlyVotes, texts)}</div></div>
  ${states.length > 0 && html`<p>${states.map((state) => html`<span class="mark">${state}</span> `)}</p>`}
  ${!isDeleting && html`<p class="line"><a class="button" href="/dashboard/${listing.id}">${text(`dashboard.edit.${listing.kind}`)}</a> <a href="/dashboard/${listing.id}/statistics">${text('dashboard.tabs.statistics')}</a> <a href="${pagePath(listing)}">${text('dashboard.publicPage')}</a></p>`}</li>`;
}
