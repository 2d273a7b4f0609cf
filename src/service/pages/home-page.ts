import { type Html, html } from '../../web/html.ts';
import { counted } from '../../web/relative-time.ts';
import { type Listing, pagePath } from '../listing/listing.ts';
import { badge } from './badge.ts';

/** The front page: everything that is listed. */
export function homePage(listings: readonly { readonly listing: Listing; readonly votes: number }[]): Html {
  return html`<h1>Servers and bots</h1>
<ul class="cards">${listings.map(
    ({ listing, votes }) => html`<li class="card">
  ${badge(listing.name, 'small')}
  <h2><a href="${pagePath(listing)}">${listing.name}</a></h2>
  <p class="quiet">${listing.kind === 'server' ? 'Server' : 'Bot'} · ${counted(votes, 'vote')}</p>
  <p>${listing.description}</p>
</li>`,
  )}</ul>
${listings.length === 0 && html`<p class="quiet">Nothing is listed yet.</p>`}`;
}

/** An owner's listings. */
export function dashboardHome(listings: readonly Listing[]): Html {
  return html`<h1>Dashboard</h1>
<ul class="cards">${listings.map(
    (listing) => html`<li class="card"><h2>${listing.name}</h2>
  <p><a class="button" href="/dashboard/${listing.id}">Edit ${listing.kind}</a> <a href="${pagePath(listing)}">Public page</a></p></li>`,
  )}</ul>
${listings.length === 0 && html`<p class="quiet">You own no listing here.</p>`}`;
}
