import { premiumKinds, voteKinds } from '../../ledger/event.ts';
import { outcomes } from '../../tally/tally.ts';
import { type Html, html } from '../../web/html.ts';
import { ago } from '../../web/relative-time.ts';
import type { DeliveryRecord } from '../records.ts';
import { deliveryLink, foreign, mark, memberLink, signed } from './cells.ts';

/** What the list shows and under which filter, in the words of its address. */
export interface DeliveriesView {
  readonly deliveries: readonly DeliveryRecord[];
  readonly filter: Readonly<Record<string, string>>;
  readonly listings: readonly string[];
  /** The id that the next page begins before; null on the last one. */
  readonly next: number | null;
  readonly now: number;
}

export function deliveriesPage(view: DeliveriesView, up: string): Html {
  const { deliveries, next, filter, now } = view;
  return html`<h1>Deliveries</h1>
${filterForm(view, up)}
${deliveries.length === 0 ? html`<p class="card">No delivery is like that.</p>` : deliveryTable(deliveries, up, now)}
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?${query({ ...filter, before: String(next) })}">Older deliveries</a></p>`}`;
}

export function deliveryTable(deliveries: readonly DeliveryRecord[], up: string, now: number): Html {
  return html`<div class="card flush"><table><thead><tr><th scope="col">Delivery</th><th scope="col">Received</th><th scope="col">Kind</th>
<th scope="col">Listing</th><th scope="col">Outcome</th><th scope="col">Member</th><th scope="col" class="number">Credits</th></tr></thead>
<tbody>${deliveries.map(
    (
      delivery,
    ) => html`<tr><td data-name="Delivery">${deliveryLink(delivery.id, up)}</td><td data-name="Received">${ago(delivery.receivedAt, now)}</td>
<td data-name="Kind">${foreign(delivery.kind)}</td><td data-name="Listing">${foreign(delivery.listing)}</td>
<td data-name="Outcome">${mark(delivery.outcome)}${delivery.reason && html` <span class="quiet">${foreign(delivery.reason)}</span>`}</td>
<td data-name="Member">${memberLink(delivery.userId, up)}</td><td data-name="Credits" class="number">${signed(delivery.credits)}</td></tr>`,
  )}</tbody></table></div>`;
}

function filterForm({ filter, listings }: DeliveriesView, up: string): Html {
  const value = (name: string) => filter[name] ?? '';
  const choices = (
    name: string,
    all: readonly string[],
  ) => html`<select id="${name}" name="${name}"><option value="">any</option>
${all.map((choice) => html`<option${choice === value(name) && html` selected`}>${choice}</option>`)}</select>`;
  const time = (name: string) =>
    html`<input id="${name}" type="datetime-local" name="${name}" value="${value(name).replace(/Z$/, '')}">`;
  return html`<form class="card filter" method="get" action="${up}deliveries">
<p><label for="outcome">Outcome</label>${choices('outcome', outcomes)}</p>
<p><label for="kind">Kind</label><input id="kind" name="kind" value="${value('kind')}" list="kinds" maxlength="100" placeholder="any">
<datalist id="kinds">${[...voteKinds, ...premiumKinds].map((kind) => html`<option value="${kind}"></option>`)}</datalist></p>
<p><label for="listing">Listing</label>${choices('listing', listings)}</p>
<p><label for="user">Member's id</label><input id="user" name="user" value="${value('user')}" inputmode="numeric" pattern="[0-9]{1,20}" maxlength="20" title="1 to 20 digits" placeholder="any"></p>
<p><label for="since">Since (UTC)</label>${time('since')}</p>
<p><label for="until">Until (UTC)</label>${time('until')}</p>
<p class="acts"><button>Filter</button> <a href="${up}deliveries">Clear</a></p>
</form>`;
}

/** The filter as an address carries it, without what is empty. */
export function query(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== '')).toString();
}
