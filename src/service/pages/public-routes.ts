import type { Request, Router } from 'express';
import { z } from 'zod';
import { formatCount } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import { normalizeLine } from '../../platform/truncate.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { HttpError } from '../../platform/web/http-error.ts';
import type { ChallengeContext } from '../abuse/vote-challenge.ts';
import { castVote } from '../actions/cast-vote.ts';
import { pagePath, type ServiceListingKind } from '../listing/listing.ts';
import { countVote } from '../monitoring/service-counters.ts';
import { type RankedListing, searchListings } from '../storage/listings/listings.ts';
import { type ReviewOrder, reviewOrders } from '../storage/reviews.ts';
import { listingPage } from './listing-page.ts';
import { isolated, kindName, listingIcon, pageLinks, tagLinks } from './listing-parts.ts';
import { type PageDependencies, PageRoutes, requireVisibleListing } from './page-routes.ts';

const listingsPerPage = 24;

/** The public pages, with the form for votes. */
export function publicRoutes(dependencies: PageDependencies): Router {
  const { database, counters, queued, admission } = dependencies;
  const routes = new PageRoutes(dependencies);

  routes.page('/', async ({ request, now }) => {
    const query = homeQuery.parse(request.query);
    const { q: text, tag, kind, page } = query;
    const selection = { text, tag, kind, limit: listingsPerPage + 1, offset: (page - 1) * listingsPerPage };
    const found = await searchListings(database, selection, now);
    const results = found.slice(0, listingsPerPage);
    return { title: 'Servers and bots', body: homePage(query, results, found.length > results.length) };
  });

  for (const kind of ['server', 'bot'] as const) {
    routes.page(`/${kind}s/:id`, async ({ request, visitor, now }) => {
      const listing = await requireVisibleListing(database, kind, request.params.id, visitor);
      const order = readOrder(request.query['sort']);
      const showsMany = request.query['all'] !== undefined;
      const challenge = visitor && (await renderChallenge(dependencies, request, { listing, member: visitor, now }));
      const body = await listingPage(database, { listing, visitor, challenge, order, showsMany, now });
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
type Vote = Omit<ChallengeContext, 'address'>;

/** The part of the vote form; null without a challenge. The rest of the page does not depend on it. */
async function renderChallenge({ challenge, log }: Challenged, request: Request, vote: Vote): Promise<Html | null> {
  if (challenge === null) return null;
  try {
    return await challenge.render(contextOf(request, vote));
  } catch (thrown) {
    log.error({ challenge: challenge.name, error: messageOf(thrown) }, 'the challenge of a vote could not be rendered');
    return html`<p class="bad">${unavailable}</p>`;
  }
}

const unavailable = 'The check before the vote is not available at the moment. Please try again later.';

/** Whether a sent vote form passes the challenge. @throws HttpError 503 if the challenge fails itself */
async function passesChallenge({ challenge, log }: Challenged, request: Request, vote: Vote): Promise<boolean> {
  if (challenge === null) return true;
  try {
    return await challenge.verify(singleFields(request.body), contextOf(request, vote));
  } catch (thrown) {
    log.error({ challenge: challenge.name, error: messageOf(thrown) }, 'the challenge of a vote could not be verified');
    throw new HttpError(503, unavailable, 30);
  }
}

function contextOf(request: Request, vote: Vote): ChallengeContext {
  return { ...vote, address: request.ip ?? '' };
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
  page: z.coerce.number().int().min(1).max(1_000).catch(1),
});

type HomeQuery = z.infer<typeof homeQuery>;

/** The published listings, with a search. */
function homePage(query: HomeQuery, results: readonly RankedListing[], hasMore: boolean): Html {
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
