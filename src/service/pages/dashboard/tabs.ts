import { type Fragment, type Html, html } from '../../../platform/web/html.ts';
import { pagePath } from '../../listing/listing.ts';
import type { StoredListing } from '../../storage/listings/listings.ts';
import { isolated, listingIcon, stateNotice } from '../listing-parts.ts';

/** The pages of a listing's dashboard, by the end of their paths. */
const tabs = {
  '': 'Edit',
  '/statistics': 'Statistics',
  '/deliveries': 'Deliveries',
  '/reviews': 'Reviews',
  '/delete': 'Export and delete',
} as const;

export type DashboardTab = keyof typeof tabs;

/** A page of a listing's dashboard, with links to the others. Bots have no reviews. */
export function dashboardFrame(listing: StoredListing, current: DashboardTab, title: string, body: Fragment): Html {
  const shown = Object.entries(tabs).filter(([path]) => listing.kind === 'server' || path !== '/reviews');
  return html`<header class="dashboard">${listingIcon(listing, 'small')}
<div><h1>${title}</h1><p class="quiet">${isolated(listing.name)} · <a href="${pagePath(listing)}">Public page</a></p></div></header>
<nav class="tabs" aria-label="Dashboard">${shown.map(
    ([path, text]) =>
      html`<a href="/dashboard/${listing.id}${path}"${path === current && html` aria-current="page"`}>${text}</a>`,
  )}</nav>
${stateNotice(listing)}
${body}`;
}
