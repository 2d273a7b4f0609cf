import { normalizeLine } from '@tallyhook/platform/truncate';
import { type Fragment, type Html, html } from '@tallyhook/platform/web/html';
import { z } from 'zod';
import { categories } from '../listing/category.ts';
import type { ServiceListingKind } from '../listing/listing.ts';
import { listingOrders, type RankedListing } from '../storage/listings/search.ts';
import type { ServiceTexts } from '../texts/texts.ts';
import { type CardView, rankedCard } from './listing-card.ts';
import { isolated, pageLinks } from './listing-parts.ts';

/** The query of the home page. Anything invalid is ignored. */
export const homeQuery = z.object({
  q: z.string().max(100).transform(normalizeLine).catch(''),
  tag: z.string().max(30).transform(normalizeLine).catch(''),
  kind: z.enum(['server', 'bot']).nullable().catch(null),
  category: z.enum(categories).nullable().catch(null),
  sort: z.enum(listingOrders).catch('votes'),
  page: z.coerce.number().int().min(1).max(1_000).catch(1),
});

type HomeQuery = z.infer<typeof homeQuery>;

export function homePage(
  query: HomeQuery,
  { results, hasMore }: { readonly results: readonly RankedListing[]; readonly hasMore: boolean },
  view: CardView,
): Html {
  const { texts } = view;
  const { text } = texts;
  const { q, tag, kind, category, sort } = query;
  const isFiltered = q !== '' || tag !== '' || kind !== null || category !== null;
  return html`<div class="masthead"><h1>${text('home.title')}</h1>
<p class="lead">${text('home.lead')}</p>
${searchForm(query, texts)}</div>
${categoryChips(query, texts)}
${tag !== '' && html`<p class="filter">${texts.fill('home.tag', { tag: html`<strong>${isolated(tag)}</strong>` })} <a href="${pathOf({ ...query, tag: '', page: 1 })}">${text('home.removeTag')}</a></p>`}
<div class="spread"><h2 class="over">${isFiltered || sort !== 'votes' ? text('home.results') : text('home.mostVotes')}</h2>
${orderLinks(query, texts)}</div>
<ul class="cards">${results.map((result) => rankedCard(result, query.sort, view))}</ul>
${results.length === 0 && nothingFound(query, isFiltered, texts)}
${pageLinks(query.page, hasMore, (page) => pathOf({ ...query, page }), texts)}`;
}

function searchForm(query: HomeQuery, texts: ServiceTexts): Html {
  const { q, kind } = query;
  const choice = (value: ServiceListingKind | '', text: string) =>
    html`<option value="${value}"${kind === (value || null) && html` selected`}>${text}</option>`;
  const kept = [...parametersOf({ ...query, q: '', kind: null, page: 1 })];
  return html`<form class="search" role="search" action="/">
  <label class="hidden" for="q">${texts.text('home.searchByName')}</label>
  <input id="q" type="search" name="q" maxlength="100" placeholder="${texts.text('home.searchByName')}" value="${q}">
  <label class="hidden" for="kind">${texts.text('home.kind')}</label>
  <select id="kind" name="kind">${choice('', texts.text('home.title'))}${choice('server', texts.text('home.servers'))}${choice('bot', texts.text('home.bots'))}</select>
  ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
  <button>${texts.text('home.search')}</button>
</form>`;
}

function categoryChips(query: HomeQuery, { text }: ServiceTexts): Html {
  const chip = (category: HomeQuery['category'], name: string) =>
    html`<li>${choiceLink({ ...query, category, page: 1 }, category === query.category, name)}</li>`;
  return html`<nav aria-label="${text('edit.category')}"><ul class="tags chips">${chip(null, text('home.allCategories'))}${categories.map(
    (category) => chip(category, text(`listing.categories.${category}`)),
  )}</ul></nav>`;
}

function orderLinks(query: HomeQuery, texts: ServiceTexts): Html {
  const links = listingOrders.map((sort) =>
    choiceLink({ ...query, sort, page: 1 }, sort === query.sort, texts.text(`home.orders.${sort}`)),
  );
  return html`<nav class="sorts" aria-label="${texts.text('home.sort')}">${links}</nav>`;
}

function choiceLink(query: HomeQuery, isCurrent: boolean, text: Fragment): Html {
  return html`<a href="${pathOf(query)}"${isCurrent && html` aria-current="true"`}>${text}</a>`;
}

function nothingFound({ page }: HomeQuery, isFiltered: boolean, { text }: ServiceTexts): Html {
  if (page > 1) return html`<p class="empty">${text('home.noMore')}</p>`;
  return isFiltered
    ? html`<p class="empty">${text('home.notFound')} <a href="/">${text('home.showAll')}</a></p>`
    : html`<p class="empty">${text('home.empty')} <a href="/dashboard/new">${text('home.addFirst')}</a></p>`;
}

function pathOf(query: HomeQuery): string {
  const text = parametersOf(query).toString();
  return text === '' ? '/' : `/?${text}`;
}

const ownParameters: Readonly<Record<string, unknown>> = homeQuery.parse({});

/** The parameters of the query that differ from the defaults of the home page. */
export function parametersOf(query: HomeQuery): URLSearchParams {
  const changed = Object.entries(query).filter(([name, value]) => value !== ownParameters[name]);
  return new URLSearchParams(changed.map(([name, value]): [string, string] => [name, String(value).toWellFormed()]));
}
