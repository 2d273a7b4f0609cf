import type { DeliveryRecord } from '../../core/records/records.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { timeAgo } from '../../platform/web/time-element.ts';
import { premiumKinds, voteKinds } from '../../webhook/event.ts';
import { outcomes } from '../../webhook/response.ts';
import { deliveryLink, memberLink, signedCredits, statusBadge, untrustedText } from './cells.ts';

export interface DeliveriesView {
  readonly deliveries: readonly DeliveryRecord[];
  /** The query parameters, without `before`. */
  readonly filter: Readonly<Record<string, string>>;
  readonly listings: readonly string[];
  /** The `before` of the next page; null on the last page. */
  readonly next: number | null;
  readonly now: number;
}

export function deliveriesPage(view: DeliveriesView, root: string): Html {
  const { deliveries, next, filter, now } = view;
  return html`<h1>Deliveries</h1>
${filterForm(view, root)}
${deliveries.length === 0 ? html`<p class="card">No deliveries match this filter.</p>` : deliveryTable(deliveries, root, now)}
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?${queryString({ ...filter, before: String(next) })}">Older deliveries</a></p>`}`;
}

function deliveryTable(deliveries: readonly DeliveryRecord[], root: string, now: number): Html {
  return html`<div class="card flush"><table><thead><tr><th scope="col">Delivery</th><th scope="col">Received</th><th scope="col">Kind</th>
<th scope="col">Listing</th><th scope="col">Outcome</th><th scope="col">Member</th><th scope="col" class="number">Credits</th></tr></thead>
<tbody>${deliveries.map(
    (
      delivery,
    ) => html`<tr><td data-name="Delivery">${deliveryLink(delivery.id, root)}</td><td data-name="Received">${timeAgo(delivery.receivedAt, now)}</td>
<td data-name="Kind">${untrustedText(delivery.kind)}</td><td data-name="Listing">${untrustedText(delivery.listing)}</td>
<td data-name="Outcome">${statusBadge(delivery.outcome)}${delivery.reason && html` <span class="quiet">${untrustedText(delivery.reason)}</span>`}</td>
<td data-name="Member">${memberLink(delivery.userId, root)}</td><td data-name="Credits" class="number">${signedCredits(delivery.credits)}</td></tr>`,
  )}</tbody></table></div>`;
}

function filterForm({ filter, listings }: DeliveriesView, root: string): Html {
  const parameter = (name: string) => filter[name] ?? '';
  const select = (
    name: string,
    options: readonly string[],
  ) => html`<select id="${name}" name="${name}"><option value="">any</option>
${options.map((option) => html`<option${option === parameter(name) && html` selected`}>${option}</option>`)}</select>`;
  const timeInput = (name: string) =>
    html`<input id="${name}" type="datetime-local" name="${name}" value="${parameter(name).replace(/Z$/, '')}">`;
  return html`<form class="card filter" method="get" action="${root}deliveries">
<p><label for="outcome">Outcome</label>${select('outcome', outcomes)}</p>
<p><label for="kind">Kind</label><input id="kind" name="kind" value="${parameter('kind')}" list="kinds" maxlength="100" placeholder="any">
<datalist id="kinds">${[...voteKinds, ...premiumKinds].map((kind) => html`<option value="${kind}"></option>`)}</datalist></p>
<p><label for="listing">Listing</label>${select('listing', listings)}</p>
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
