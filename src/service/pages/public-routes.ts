import type { Request, Router } from 'express';
import { z } from 'zod';
import { messageOf } from '../../platform/errors.ts';
import { normalizeLine } from '../../platform/truncate.ts';
import { type Html, html } from '../../platform/web/html.ts';
import type { ChallengeContext } from '../abuse/vote-challenge.ts';
import { castVote } from '../actions/cast-vote.ts';
import { categories } from '../listing/category.ts';
import { pagePath, type ServiceListingKind } from '../listing/listing.ts';
import { countVote } from '../monitoring/service-counters.ts';
import { listingOrders, type RankedListing, searchListings } from '../storage/listings/search.ts';
import { type ReviewOrder, reviewOrders } from '../storage/reviews.ts';
import { PageError } from '../texts/page-error.ts';
import type { ServiceTexts } from '../texts/texts.ts';
import { textsOf } from './language.ts';
import { listingPage } from './listing-page.ts';
import { isolated, kindAndVotes, listingIcon, pageLinks, tagLinks } from './listing-parts.ts';
import { type PageDependencies, PageRoutes, requireVisibleListing } from './page-routes.ts';

const listingsPerPage = 24;

/** The public pages, with the form for votes. */
export function publicRoutes(dependencies: PageDependencies): Router {
  const { database, counters, queued, admission } = dependencies;
  const routes = new PageRoutes(dependencies);

  routes.page('/', async ({ request, now, texts }) => {
    const query = homeQuery.parse(request.query);
    const { q: text, page, sort: order, ...filters } = query;
    const selection = { ...filters, text, order, limit: listingsPerPage + 1, offset: (page - 1) * listingsPerPage };
    const found = await searchListings(database, selection, now);
    const results = found.slice(0, listingsPerPage);
    return { title: texts.home.title, body: homePage(query, results, found.length > results.length, texts) };
  });

  for (const kind of ['server', 'bot'] as const) {
    routes.page(`/${kind}s/:id`, async ({ request, visitor, now, texts }) => {
      const listing = await requireVisibleListing(database, kind, request.params.id, visitor);
      const order = readOrder(request.query['sort']);
      const showsMany = request.query['all'] !== undefined;
      const challenge = visitor && (await renderChallenge(dependencies, request, { listing, member: visitor, now }));
      const body = await listingPage(database, { listing, visitor, challenge, order, showsMany, now, texts });
      return { title: listing.name, body };
    });

    routes.form(`/${kind}s/:id/vote`, async ({ request, visitor: { userId, username }, now }) => {
      const voter = { userId, username };
      const listing = await requireVisibleListing(database, kind, request.params.id, null);
      await admission.admit(request, 'vote', userId);
      if (!(await passesChallenge(dependencies, request, { listing, member: voter, now }))) {
        return `${pagePath(listing)}?notice=challenge`;
      }
      const vote = await castVote(database, listing, { voter }, now);
      countVote(counters, vote);
      queued();
      return `${pagePath(listing)}?notice=${vote.recorded ? 'voted' : 'cooldown'}`;
    });
  }

  return routes.router;
}

function readOrder(value: unknown): ReviewOrder {
  return reviewOrders.find((order) => order === value) ?? 'newest';
}

type Challenged = Pick<PageDependencies, 'challenge' | 'log'>;
type Vote = Omit<ChallengeContext, 'address' | 'locale'>;

/** The part of the vote form; null without a challenge. The rest of the page does not depend on it. */
async function renderChallenge({ challenge, log }: Challenged, request: Request, vote: Vote): Promise<Html | null> {
  if (challenge === null) return null;
  try {
    return await challenge.render(contextOf(request, vote));
  } catch (thrown) {
    log.error({ challenge: challenge.name, error: messageOf(thrown) }, 'the challenge of a vote could not be rendered');
    return html`<p class="bad">${textsOf(request).errors.challenge}</p>`;
  }
}

/** Whether a sent vote form passes the challenge. @throws PageError 503 if the challenge fails itself */
async function passesChallenge({ challenge, log }: Challenged, request: Request, vote: Vote): Promise<boolean> {
  if (challenge === null) return true;
  try {
    return await challenge.verify(singleFields(request.body), contextOf(request, vote));
  } catch (thrown) {
    log.error({ challenge: challenge.name, error: messageOf(thrown) }, 'the challenge of a vote could not be verified');
    throw new PageError(503, ({ errors }) => errors.challenge, 30);
  }
}

function contextOf(request: Request, vote: Vote): ChallengeContext {
  return { ...vote, address: request.ip ?? '', locale: textsOf(request).locale };
}

function singleFields(body: unknown): Record<string, string> {
  const fields = Object.entries(typeof body === 'object' && body !== null ? body : {});
  return Object.fromEntries(fields.filter((field): field is [string, string] => typeof field[1] === 'string'));
}

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

/** The published listings, with a search. */
function homePage(query: HomeQuery, results: readonly RankedListing[], hasMore: boolean, texts: ServiceTexts): Html {
  const { home } = texts;
  const isFiltered = query.q !== '' || query.tag !== '' || query.kind !== null;
  return html`<div class="masthead"><h1>${home.title}</h1>
<p class="lead">${home.lead}</p>
${searchForm(query, texts)}</div>
${query.tag !== '' && html`<p class="filter">${texts.fill(home.tag, { tag: html`<strong>${isolated(query.tag)}</strong>` })} <a href="${pathOf({ ...query, tag: '', page: 1 })}">${home.removeTag}</a></p>`}
<h2 class="over">${isFiltered ? home.results : home.mostVotes}</h2>
<ul class="cards">${results.map((result) => card(result, texts))}</ul>
${results.length === 0 && nothingFound(query, isFiltered, texts)}
${pageLinks(query.page, hasMore, (page) => pathOf({ ...query, page }), texts)}`;
}

function searchForm({ q, tag, kind }: HomeQuery, { home }: ServiceTexts): Html {
  const choice = (value: ServiceListingKind | '', text: string) =>
    html`<option value="${value}"${kind === (value || null) && html` selected`}>${text}</option>`;
  return html`<form class="search" role="search" action="/">
  <label class="hidden" for="q">${home.searchByName}</label>
  <input id="q" type="search" name="q" maxlength="100" placeholder="${home.searchByName}" value="${q}">
  <label class="hidden" for="kind">${home.kind}</label>
  <select id="kind" name="kind">${choice('', home.title)}${choice('server', home.servers)}${choice('bot', home.bots)}</select>
  ${tag !== '' && html`<input type="hidden" name="tag" value="${tag}">`}
  <button>${home.search}</button>
</form>`;
}

function card({ listing, monthlyVotes }: RankedListing, texts: ServiceTexts): Html {
  return html`<li class="card tile">
  <div class="head">${listingIcon(listing, 'small')}
    <div><h3 dir="auto"><a class="cover" href="${pagePath(listing)}">${listing.name}</a></h3>
    ${kindAndVotes(listing, monthlyVotes, texts)}</div></div>
  <p class="clamp" dir="auto">${listing.description}</p>
  ${tagLinks(listing.tags.slice(0, 4), texts)}
</li>`;
}

function nothingFound({ page }: HomeQuery, isFiltered: boolean, { home }: ServiceTexts): Html {
  if (page > 1) return html`<p class="empty">${home.noMore}</p>`;
  return isFiltered
    ? html`<p class="empty">${home.notFound} <a href="/">${home.showAll}</a></p>`
    : html`<p class="empty">${home.empty} <a href="/dashboard/new">${home.addFirst}</a></p>`;
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
