import { formatCount } from '../../platform/durations.ts';
import { type Html, html } from '../../web/html.ts';
import { type Listing, pagePath } from '../listing/listing.ts';
import { listingIcon } from './listing-page.ts';

/** The home page: all listings. */
export function homePage(listings: readonly { readonly listing: Listing; readonly votes: number }[]): Html {
  return html`<h1>Servers and bots</h1>
<ul class="cards">${listings.map(
    ({ listing, votes }) => html`<li class="card">
  ${listingIcon(listing.name, 'small')}
  <h2><a href="${pagePath(listing)}">${listing.name}</a></h2>
  <p class="quiet">${listing.kind === 'server' ? 'Server' : 'Bot'} · ${formatCount(votes, 'vote')}</p>
  <p>${listing.description}</p>
</li>`,
  )}</ul>
${listings.length === 0 && html`<p class="quiet">There are no listings yet.</p>`}`;
}

/** The listings of an owner. */
export function dashboardHome(listings: readonly Listing[]): Html {
  return html`<h1>Dashboard</h1>
<ul class="cards">${listings.map(
    (listing) => html`<li class="card"><h2>${listing.name}</h2>
  <p><a class="button" href="/dashboard/${listing.id}">Edit ${listing.kind}</a> <a href="${pagePath(listing)}">Public page</a></p></li>`,
  )}</ul>
${listings.length === 0 && html`<p class="quiet">You own no listings here.</p>`}`;
}
