import { createCalendar } from '../../core/rewards/calendar.ts';
import type { ReversalTotals } from '../../features/corrections/reversals.ts';
import type { VoteRange } from '../../features/corrections/reverse-member.ts';
import type { HeldListing } from '../../features/rate-alarms/store.ts';
import { formatCount, hour, minute } from '../../platform/durations.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { dateTime } from '../../platform/web/time-element.ts';
import type { Trust } from '../../webhook/sites/site.ts';
import type { ListingDetails } from '../listings.ts';
import { untrustedText } from './cells.ts';
import type { OwnerSession } from './session.ts';

interface PageContext {
  readonly root: string;
  readonly session: OwnerSession;
}

const trusts: Readonly<Record<Trust, string>> = {
  signed: 'Its votes are signed.',
  token: 'Its votes carry a token: whoever sees one request can forge votes.',
  none: 'It stores what is sent to its address, and pays nothing.',
};

/** A card per listing: how far its votes can be trusted, what is held, and a form to reverse votes. */
export function listingsPage(listings: readonly ListingDetails[], page: PageContext): Html {
  return html`<h1>Listings</h1>
${listings.length === 0 && html`<p class="card">No listing is configured.</p>`}
${listings.map((listing) => listingCard(listing, page))}`;
}

function listingCard(listing: ListingDetails, page: PageContext): Html {
  const { name, site, trust, held, timeZone } = listing;
  // What was paid before the alarm, of the same hour.
  const paid = held && { from: Math.floor(held.heldAt / hour) * hour, until: held.heldAt + minute };
  return html`<section class="card" aria-label="${name}"><h2><bdi>${name}</bdi> <span class="quiet">${site}</span></h2>
<p class="quiet">${trusts[trust]}</p>
${held && heldVotes(held, page)}
<h3>Reverse votes</h3>
<form class="line" method="post" action="${page.root}listings/${encodeURIComponent(name)}/reversals">${formTokenField(page.session)}
${timeField('from', paid?.from, timeZone)} ${timeField('until', paid?.until, timeZone)} <button class="second">Preview</button>
<span class="quiet">Times are those of ${timeZone}.</span></form></section>`;
}

function timeField(name: string, at: number | undefined, timeZone: string): Html {
  const value = at === undefined ? '' : new Date(createCalendar(timeZone).toLocal(at)).toISOString().slice(0, 16);
  return html`<label>${name} <input type="datetime-local" name="${name}" value="${value}" required></label>`;
}

function heldVotes({ listing, state, held, paid, usual, heldAt }: HeldListing, { root, session }: PageContext): Html {
  const votes = formatCount(held, 'vote');
  if (state !== 'held')
    return html`<p class="notice plain">${votes} ${state === 'releasing' ? 'are still to be released' : 'are still to be rejected'}. This takes a moment.</p>`;
  const button = (decision: 'release' | 'reject', label: string) =>
    html`<form method="post" action="${root}listings/${encodeURIComponent(listing)}/${decision}">${formTokenField(session)}<button class="${decision === 'reject' && 'second'}">${label}</button></form>`;
  return html`<p class="notice bad">Since ${dateTime(heldAt)}, ${votes} ${held === 1 ? 'is' : 'are'} held: ${formatCount(paid, 'vote')} were paid in one hour before,
and ${formatCount(Math.round(usual), 'vote')} are usual. If you did not expect them, replace the secret of the listing first.</p>
<div class="line">${button('release', 'Release')} ${button('reject', 'Reject')}
<span class="quiet">Released votes are paid with their own times, and there is no alarm for a day. Rejected ones are never paid.</span></div>`;
}

/** The confirmation before votes are reversed. */
export function reversalPage(
  { listing, from, until }: VoteRange,
  { members, votes, credits }: ReversalTotals,
  { root, session, fields }: PageContext & { readonly fields: Readonly<Record<string, string>> },
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<div class="narrow"><p class="trail"><a href="${root}listings">Listings</a></p>
<h1>Reverse these votes?</h1>
<section class="card"><dl class="facts">
<div><dt>listing</dt><dd>${untrustedText(listing)}</dd></div>
<div><dt>from</dt><dd>${dateTime(from)}</dd></div><div><dt>until</dt><dd>${dateTime(until)}</dd></div>
<div><dt>votes</dt><dd>${formatCount(votes, 'vote')} of ${formatCount(members, 'member')}</dd></div>
<div><dt>earned</dt><dd>${formatCount(credits, 'credit')}</dd></div></dl>
<p>The credits are taken back as far as members still have them, with milestones that are not reached without these votes.
The votes count no longer, and their roles end.</p>
${
  votes === 0
    ? html`<p><a href="${root}listings">Back</a></p>`
    : html`<form class="line" method="post" action="${root}listings/${encodeURIComponent(listing)}/reversals">${formTokenField(session)}
${hidden}<input type="hidden" name="confirmed" value="yes"><button>Confirm</button> <a href="${root}listings">Cancel</a></form>`
}</section></div>`;
}
