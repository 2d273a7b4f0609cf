import { type DeliveryRecord, isPruned } from '../../core/records/records.ts';
import type { DeliveryDetails } from '../../features/traces/delivery-details.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { dateTime, exactDateTime, timeAgo } from '../../platform/web/time-element.ts';
import { premiumKinds, voteKinds } from '../../webhook/event.ts';
import { outcomes } from '../../webhook/response.ts';
import type { Site } from '../../webhook/sites/site.ts';
import type { NameBook } from '../names.ts';
import {
  deliveryLink,
  kindNames,
  kindText,
  memberLink,
  named,
  outcomeBadge,
  outcomeNames,
  signedCredits,
  untrustedText,
} from './cells.ts';
import { effectItem } from './effect-item.ts';
import { prettyJson, visible } from './pretty-json.ts';
import type { OwnerSession } from './session.ts';

/** @param shown.site the name of the listing's site, if it is to be shown */
export function deliveryPage(
  details: DeliveryDetails,
  root: string,
  session: OwnerSession,
  { site, names }: { readonly site: string | null; readonly names: NameBook },
): Html {
  const { delivery, effects, why, original } = details;
  return html`<p class="trail"><a href="${root}deliveries">Deliveries</a></p>
<h1>Delivery #${delivery.id} ${outcomeBadge(delivery)}</h1>
<section class="card" aria-labelledby="why"><h2 id="why">Why</h2><p class="lead" dir="auto">${visible(why)}</p>
${original !== null && html`<p>Original: ${deliveryLink(original, root)}</p>`}
${
  delivery.outcome === 'quarantined' &&
  html`<form method="post" action="${root}deliveries/${delivery.id}/replay">${formTokenField(session)}<button>Replay</button>
<span class="quiet">Processes the delivery again with the current version and configuration. It is never paid twice.</span></form>`
}</section>
<div class="columns">
<section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2>${properties(details, root, { site, names })}</section>
<section class="card" aria-labelledby="timeline"><h2 id="timeline">Timeline</h2><ol class="timeline">${details.timeline.map(
    ({ at, what, text }) =>
      html`<li><strong>${what}</strong> ${exactDateTime(at)}<br><span dir="auto">${visible(text)}</span></li>`,
  )}</ol></section>
</div>
${
  effects.length > 0 &&
  html`<section class="card" aria-labelledby="effects"><h2 id="effects">Effects</h2><ul class="items">${effects.map(
    (effect) => effectItem(effect, { root, session, returnTo: 'delivery' }),
  )}</ul></section>`
}
<section class="card" aria-labelledby="body"><h2 id="body">Body</h2>
${bodyOf(delivery)}</section>`;
}

function listingText(listing: string | null, site: string | null, names: NameBook): Html {
  return html`${named(listing, names.listing(listing))}${site && html` <span class="quiet">${site}</span>`}`;
}

function bodyOf(delivery: DeliveryRecord): Html {
  if (isPruned(delivery)) {
    return html`<p class="quiet">Deleted because of its age (<code>KEEP_BODIES</code>), and with it perhaps its effects (<code>KEEP_EFFECTS</code>). The entry and the balance do not depend on it.</p>`;
  }
  const isShared = delivery.originalId !== null;
  return html`${isShared && html`<p class="quiet">The body of the delivery that this one repeats. A repeat is stored without its own.</p>`}
<pre tabindex="0" aria-labelledby="body">${visible(prettyJson(delivery.body))}</pre>
<details><summary>Raw body, as it was signed</summary><pre tabindex="0">${visible(delivery.body)}</pre></details>`;
}

function properties(
  { delivery, entry }: DeliveryDetails,
  root: string,
  { site, names }: { readonly site: string | null; readonly names: NameBook },
): Html {
  return html`<dl class="facts">
<div><dt>received</dt><dd>${dateTime(delivery.receivedAt)}</dd></div>
<div><dt>family</dt><dd>${delivery.family}</dd></div>
<div><dt>kind</dt><dd>${kindText(delivery.kind)}</dd></div>
<div><dt>listing</dt><dd>${listingText(delivery.listing, site, names)}</dd></div>
<div><dt>member</dt><dd>${memberLink(delivery.userId, root, names)}</dd></div>
<div><dt>credits</dt><dd>${signedCredits(delivery.credits)}</dd></div>
<div><dt>reason</dt><dd>${untrustedText(delivery.reason)}</dd></div>
<div><dt>entry</dt><dd>${entry ? html`${entry.cause}, ${dateTime(entry.at)}` : untrustedText(null)}</dd></div>
</dl>`;
}

interface DeliveriesView {
  readonly deliveries: readonly DeliveryRecord[];
  /** The query parameters, without `before`. */
  readonly filter: Readonly<Record<string, string>>;
  readonly listings: readonly string[];
  /** Those of the listings. */
  readonly sites: readonly Pick<Site, 'id' | 'name'>[];
  /** The name of a listing's site, if it is to be shown. */
  readonly siteOf: (listing: string | null) => string | null;
  /** The `before` of the next page; null on the last page. */
  readonly next: number | null;
  readonly names: NameBook;
  readonly now: number;
}

export function deliveriesPage(view: DeliveriesView, root: string): Html {
  const { deliveries, next, filter } = view;
  return html`<h1>Deliveries</h1>
${filterForm(view, root)}
${deliveries.length === 0 ? html`<p class="card">No deliveries match this filter.</p>` : deliveryTable(view, root)}
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?${queryString({ ...filter, before: String(next) })}">Older deliveries</a></p>`}`;
}

function deliveryTable({ deliveries, siteOf, names, now }: DeliveriesView, root: string): Html {
  return html`<div class="card flush"><table><thead><tr><th scope="col">Delivery</th><th scope="col">Received</th><th scope="col">Kind</th>
<th scope="col">Listing</th><th scope="col">Outcome</th><th scope="col">Member</th><th scope="col" class="number">Credits</th></tr></thead>
<tbody>${deliveries.map(
    (
      delivery,
    ) => html`<tr><td data-name="Delivery">${deliveryLink(delivery.id, root)}</td><td data-name="Received">${timeAgo(delivery.receivedAt, now)}</td>
<td data-name="Kind">${kindText(delivery.kind)}</td><td data-name="Listing">${listingText(delivery.listing, siteOf(delivery.listing), names)}</td>
<td data-name="Outcome">${outcomeBadge(delivery)}${delivery.reason && html` <span class="quiet">${untrustedText(delivery.reason)}</span>`}</td>
<td data-name="Member">${memberLink(delivery.userId, root, names)}</td><td data-name="Credits" class="number">${signedCredits(delivery.credits)}</td></tr>`,
  )}</tbody></table></div>`;
}

function filterForm({ filter, listings, sites, names }: DeliveriesView, root: string): Html {
  const parameter = (name: string) => filter[name] ?? '';
  const select = (
    name: string,
    options: readonly string[],
    labels: ReadonlyMap<string, string> = new Map(),
  ) => html`<select id="${name}" name="${name}"><option value="">any</option>
${options.map(
  (option) =>
    html`<option value="${option}"${option === parameter(name) && html` selected`}>${labels.get(option) ?? option}</option>`,
)}</select>`;
  const asked = parameter('kind');
  const known: readonly string[] = [...voteKinds, ...premiumKinds];
  const kinds = asked === '' || known.includes(asked) ? known : [...known, asked];
  const siteLabels = new Map(sites.map(({ id, name }) => [id, name]));
  const timeInput = (name: string) =>
    html`<input id="${name}" type="datetime-local" name="${name}" value="${parameter(name).replace(/Z$/, '')}">`;
  return html`<form class="card filter" method="get" action="${root}deliveries">
<p><label for="outcome">Outcome</label>${select('outcome', outcomes, new Map(Object.entries(outcomeNames)))}</p>
<p><label for="kind">Kind</label>${select('kind', kinds, new Map(kinds.map((kind) => [kind, kindNames[kind] ?? kind])))}</p>
<p><label for="listing">Listing</label>${select('listing', listings, new Map(listings.map((name) => [name, names.listing(name) ?? name])))}</p>
${siteLabels.size > 1 && html`<p><label for="site">Site</label>${select('site', [...siteLabels.keys()], siteLabels)}</p>`}
<p><label for="user">Member ID</label><input id="user" name="user" value="${parameter('user')}" inputmode="numeric" pattern="[0-9]{1,20}" maxlength="20" title="1 to 20 digits" placeholder="any"></p>
<p><label for="since">Since (UTC)</label>${timeInput('since')}</p>
<p><label for="until">Until (UTC)</label>${timeInput('until')}</p>
<p class="acts"><button>Filter</button> <a href="${root}deliveries">Clear</a></p>
</form>`;
}

/** The filter as a query string, without empty parameters. */
function queryString(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString();
}
