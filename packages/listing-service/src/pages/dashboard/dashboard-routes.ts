import { normalizeLine } from '@tallyhook/platform/truncate';
import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { Router } from 'express';
import { z } from 'zod';
import { pagePath } from '../../listing/listing.ts';
import { startListingDeletion } from '../../storage/listings/delete-listing.ts';
import { exportedLists, exportedProfile } from '../../storage/listings/export-listing.ts';
import { listingsOfMember, type StoredListing } from '../../storage/listings/listings.ts';
import { countVotesOfMonth } from '../../storage/votes.ts';
import { PageError } from '../../texts/page-error.ts';
import type { ServiceTexts } from '../../texts/texts.ts';
import { readForm } from '../forms.ts';
import { addIconForms } from '../icon-routes.ts';
import { isolated, kindAndVotes, listingIcon } from '../listing-parts.ts';
import { type OwnerCall, type PageDependencies, pageNotFound } from '../page-routes.ts';
import { sendExport } from '../send-export.ts';
import type { Visitor } from '../session.ts';
import { addCreateRoutes } from './create-routes.ts';
import { Dashboard, requireOwner } from './dashboard.ts';
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

const deleteForm = z.object({ name: z.string().max(1_000).transform(normalizeLine) });

export function addDeleteRoutes(dashboard: Dashboard, { database, admission }: PageDependencies): void {
  dashboard.page('/delete', ({ text }) => text('dashboard.tabs.delete'), deletePage);

  dashboard.page(
    '/export',
    ({ text }) => text('yourData.export'),
    async ({ request, response, listing, visitor }) => {
      const { id, kind } = listing;
      await admission.count(request, 'data', visitor.userId);
      await sendExport(response, {
        name: `${kind}-${id}.json`,
        values: await exportedProfile(database, listing),
        lists: exportedLists(database, id),
      });
      return null;
    },
  );

  dashboard.form('/delete', null, async (call) => {
    requireOwner(call);
    const { request, response, listing, now } = call;
    const { name } = readForm(deleteForm, request.body);
    if (name !== normalizeLine(listing.name)) {
      throw new PageError(400, ({ text }) => text('errors.differentName', { name: listing.name }));
    }
    if (!(await startListingDeletion(database, listing.id, now))) throw pageNotFound();
    response.redirect(303, '/dashboard?notice=deleted');
    return null;
  });
}

function deletePage({ listing, role, visitor, texts: { fill, text } }: OwnerCall): Html {
  const path = `/dashboard/${listing.id}`;
  return html`<section class="card" aria-labelledby="export"><h2 id="export">${text('yourData.export')}</h2>
<p>${text('deletion.exportHint')}</p>
<p><a class="button second" href="${path}/export" download>${text('yourData.download')}</a></p></section>
${
  role === 'owner' &&
  html`<section class="card danger-zone" aria-labelledby="delete"><h2 id="delete">${text(`deletion.title.${listing.kind}`)}</h2>
<p>${text(`deletion.hint.${listing.kind}`)}</p>
<form class="stack" method="post" action="${path}/delete">${formTokenField(visitor)}
  <label>${fill('deletion.typeName', { name: isolated(listing.name) })} <input name="name" required maxlength="100" autocomplete="off"></label>
  <button class="danger-solid">${text(`deletion.submit.${listing.kind}`)}</button></form></section>`
}`;
}
