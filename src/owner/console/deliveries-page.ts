import { type Html, html } from '@tallyhook/platform/web/html';
import { timeAgo } from '@tallyhook/platform/web/time-element';
import type { DeliveryRecord } from '../../core/records/records.ts';
import { premiumKinds, voteKinds } from '../../webhook/event.ts';
import { outcomes } from '../../webhook/response.ts';
import type { Site } from '../../webhook/sites/site.ts';
import type { NameBook } from '../names.ts';
import {
  deliveryLink,
  kindNames,
  kindText,
  listingText,
  memberLink,
  type NamedPage,
  outcomeBadge,
  signedCredits,
  siteText,
} from './cells.ts';
import { deliveryReason } from './reason.ts';

interface DeliveriesView extends NamedPage {
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

export function deliveriesPage(view: DeliveriesView): Html {
  const { deliveries, next, filter, texts } = view;
  const { text } = texts;
  return html`<h1>${text('console.deliveries')}</h1>
${filterForm(view)}
${deliveries.length === 0 ? html`<p class="card">${text('console.noDeliveries')}</p>` : deliveryTable(view)}
${next !== null && html`<p class="pages"><a class="button second" rel="next" href="?${queryString({ ...filter, before: String(next) })}">${texts.text('setup.buttons.older')}</a></p>`}`;
}

function deliveryTable(view: DeliveriesView): Html {
  const { deliveries, siteOf, now, root, texts } = view;
  const { text } = texts;
  const [listing, credits] = [texts.text('setup.sections.listing'), texts.text('credits.title')];
  const head = [
    text('console.labels.delivery'),
    text('console.labels.received'),
    text('console.labels.kind'),
    listing,
    text('console.labels.outcome'),
    text('console.labels.member'),
  ];
  return html`<div class="card flush"><table><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}<th scope="col" class="number">${credits}</th></tr></thead>
<tbody>${deliveries.map((delivery) => {
    return html`<tr><td data-name="${text('console.labels.delivery')}">${deliveryLink(delivery.id, root)}</td><td data-name="${text('console.labels.received')}">${timeAgo(delivery.receivedAt, now, texts.locale)}</td>
<td data-name="${text('console.labels.kind')}">${kindText(delivery.kind, texts)}</td><td data-name="${listing}">${listingText(delivery.listing, siteOf(delivery.listing), view)}</td>
<td data-name="${text('console.labels.outcome')}">${outcomeBadge(delivery, texts)}${delivery.reason !== null && html` <span class="quiet">${deliveryReason(delivery, view)}</span>`}</td>
<td data-name="${text('console.labels.member')}">${memberLink(delivery.userId, view)}</td><td data-name="${credits}" class="number">${signedCredits(delivery.credits, texts)}</td></tr>`;
  })}</tbody></table></div>`;
}

function filterForm({ filter, listings, sites, names, root, texts }: DeliveriesView): Html {
  const { text } = texts;

  const parameter = (name: string) => filter[name] ?? '';
  const select = (
    name: string,
    options: readonly string[],
    shown: ReadonlyMap<string, string>,
  ) => html`<select id="${name}" name="${name}"><option value="">${text('console.any')}</option>
${options.map(
  (option) =>
    html`<option value="${option}"${option === parameter(name) && html` selected`}>${shown.get(option) ?? option}</option>`,
)}</select>`;
  const asked = parameter('kind');
  const known: readonly string[] = [...voteKinds, ...premiumKinds];
  const kinds = asked === '' || known.includes(asked) ? known : [...known, asked];
  const siteLabels = new Map(sites.map(({ id, name }) => [id, siteText(name, texts)]));
  const listingLabels = new Map(listings.map((name) => [name, names.listing(name) ?? name]));
  const timeInput = (name: string) =>
    html`<input id="${name}" type="datetime-local" name="${name}" value="${parameter(name).replace(/Z$/, '')}">`;
  return html`<form class="card filter" method="get" action="${root}deliveries">
<p><label for="outcome">${text('console.labels.outcome')}</label>${select('outcome', outcomes, new Map(texts.namesIn('console.outcomes').map((name) => [name, text(`console.outcomes.${name}`)])))}</p>
<p><label for="kind">${text('console.labels.kind')}</label>${select('kind', kinds, new Map(Object.entries(kindNames(texts))))}</p>
<p><label for="listing">${text('setup.sections.listing')}</label>${select('listing', listings, listingLabels)}</p>
${siteLabels.size > 1 && html`<p><label for="site">${text('console.labels.site')}</label>${select('site', [...siteLabels.keys()], siteLabels)}</p>`}
<p><label for="user">${text('console.labels.memberId')}</label><input id="user" name="user" value="${parameter('user')}" inputmode="numeric" pattern="[0-9]{1,20}" maxlength="20" placeholder="${text('console.any')}"></p>
<p><label for="since">${text('console.labels.since')}</label>${timeInput('since')}</p>
<p><label for="until">${text('console.labels.until')}</label>${timeInput('until')}</p>
<p class="acts"><button>${text('console.filter')}</button> <a href="${root}deliveries">${text('console.clear')}</a></p>
</form>`;
}

/** The filter as a query string, without empty parameters. */
function queryString(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString();
}
