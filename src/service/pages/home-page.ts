import { z } from 'zod';
import { formatCount } from '../../platform/durations.ts';
import { normalizeLine } from '../../platform/normalize-text.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { pagePath, type ServiceListingKind } from '../listing/listing.ts';
import type { RankedListing } from '../storage/listings/listing-search.ts';
import { isolated, kindName, listingIcon, pageLinks, tagLinks } from './listing-parts.ts';

/** The query of the home page. Anything invalid is ignored. */
export const homeQuery = z.object({
  q: z.string().max(100).transform(normalizeLine).catch(''),
  tag: z.string().max(30).transform(normalizeLine).catch(''),
  kind: z.enum(['server', 'bot']).nullable().catch(null),
  page: z.coerce.number().int().min(1).max(1_000).catch(1),
});

export type HomeQuery = z.infer<typeof homeQuery>;

export interface HomeView {
  readonly query: HomeQuery;
  readonly results: readonly RankedListing[];
  /** Whether there is a next page. */
  readonly hasMore: boolean;
}

/** The published listings, with a search. */
export function homePage({ query, results, hasMore }: HomeView): Html {
  const isFiltered = query.q !== '' || query.tag !== '' || query.kind !== null;
  return html`<div class="masthead"><h1>Servers and bots</h1>
<p class="lead">Find a community to join or a bot to add, and vote for those you like.</p>
${searchForm(query)}</div>
${query.tag !== '' && html`<p class="filter">Tag: <strong>${isolated(query.tag)}</strong> <a href="${pathOf({ ...query, tag: '', page: 1 })}">Remove</a></p>`}
<h2 class="over">${isFiltered ? 'Results' : 'Most votes this month'}</h2>
<ul class="cards">${results.map(card)}</ul>
${results.length === 0 && nothingFound(query, isFiltered)}
${pageLinks(query.page, hasMore, (page) => pathOf({ ...query, page }))}`;
}

function searchForm({ q, tag, kind }: HomeQuery): Html {
  const choice = (value: ServiceListingKind | '', text: string) =>
    html`<option value="${value}"${kind === (value || null) && html` selected`}>${text}</option>`;
  return html`<form class="search" role="search" action="/">
  <label class="hidden" for="q">Search by name</label>
  <input id="q" type="search" name="q" maxlength="100" placeholder="Search by name" value="${q}">
  <label class="hidden" for="kind">Kind</label>
  <select id="kind" name="kind">${choice('', 'Servers and bots')}${choice('server', 'Servers')}${choice('bot', 'Bots')}</select>
  ${tag !== '' && html`<input type="hidden" name="tag" value="${tag}">`}
  <button>Search</button>
</form>`;
}

function card({ listing, monthlyVotes }: RankedListing): Html {
  return html`<li class="card tile">
  <div class="head">${listingIcon(listing, 'small')}
    <div><h3 dir="auto"><a class="cover" href="${pagePath(listing)}">${listing.name}</a></h3>
    <p class="quiet">${kindName(listing)} · ${formatCount(monthlyVotes, 'vote')} this month</p></div></div>
  <p class="clamp" dir="auto">${listing.description}</p>
  ${tagLinks(listing.tags.slice(0, 4))}
</li>`;
}

function nothingFound({ page }: HomeQuery, isFiltered: boolean): Html {
  if (page > 1) return html`<p class="empty">There are no more listings.</p>`;
  return isFiltered
    ? html`<p class="empty">Nothing was found. <a href="/">Show all listings</a></p>`
    : html`<p class="empty">There are no listings yet. <a href="/dashboard/new">Add the first</a></p>`;
}

function pathOf({ q, tag, kind, page }: HomeQuery): string {
  const parameters = new URLSearchParams();
  if (q !== '') parameters.set('q', q.toWellFormed());
  if (tag !== '') parameters.set('tag', tag.toWellFormed());
  if (kind !== null) parameters.set('kind', kind);
  if (page > 1) parameters.set('page', String(page));
  const text = parameters.toString();
  return text === '' ? '/' : `/?${text}`;
}
