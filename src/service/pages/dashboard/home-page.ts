import { formatCount } from '../../../platform/durations.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { pagePath } from '../../listing/listing.ts';
import type { StoredListing } from '../../storage/listings/listings.ts';
import { kindName, listingIcon } from '../listing-parts.ts';

const stateNames = { published: null, pending: 'waits for approval', hidden: 'hidden', deleting: 'being deleted' };

/** A listing of the owner, with its votes of this month. */
export interface OwnListing {
  readonly listing: StoredListing;
  readonly monthlyVotes: number;
}

/** The listings of an owner. */
export function dashboardHome(listings: readonly OwnListing[]): Html {
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
