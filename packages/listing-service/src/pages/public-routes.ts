import { messageOf } from '@tallyhook/platform/errors';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { Request, Router } from 'express';
import type { ChallengeContext } from '../abuse/vote-challenge.ts';
import { castVote } from '../actions/cast-vote.ts';
import { pagePath } from '../listing/listing.ts';
import { countVote } from '../monitoring/service-counters.ts';
import { searchListings } from '../storage/listings/search.ts';
import { type ReviewOrder, reviewOrders } from '../storage/reviews.ts';
import { PageError } from '../texts/page-error.ts';
import { homePage, homeQuery, parametersOf } from './home-page.ts';
import { textsOf } from './language.ts';
import { listingPage } from './listing-page.ts';
import { type PageDependencies, PageRoutes, requireVisibleListing } from './page-routes.ts';
import { resultAt } from './render-page.ts';

const listingsPerPage = 24;

export function publicRoutes(dependencies: PageDependencies): Router {
  const { database, counters, queued, admission, invites } = dependencies;
  const routes = new PageRoutes(dependencies);

  routes.page('/', async ({ request, now, texts }) => {
    const query = homeQuery.parse(request.query);
    const { q: text, page, sort: order, ...filters } = query;
    const selection = { ...filters, text, order, limit: listingsPerPage + 1, offset: (page - 1) * listingsPerPage };
    const found = await searchListings(database, selection, now);
    const results = found.slice(0, listingsPerPage);
    const hasMore = found.length > results.length;
    return {
      title: texts.text('home.title'),
      body: homePage(query, { results, hasMore }, { texts, invites }),
      query: Object.fromEntries(parametersOf(query)),
    };
  });

  for (const kind of ['server', 'bot'] as const) {
    routes.page(`/${kind}s/:id`, async ({ request, visitor, now, texts }) => {
      const listing = await requireVisibleListing(database, kind, request.params.id, visitor);
      const order = readOrder(request.query['sort']);
      const showsMany = request.query['all'] !== undefined;
      const challenge = visitor && (await renderChallenge(dependencies, request, { listing, member: visitor, now }));
      return listingPage(dependencies, { request, listing, visitor, challenge, order, showsMany, now, texts });
    });

    routes.form(`/${kind}s/:id/vote`, async ({ request, visitor: { userId, username }, now }) => {
      const voter = { userId, username };
      const listing = await requireVisibleListing(database, kind, request.params.id, null);
      await admission.admit(request, 'vote', userId);
      if (!(await passesChallenge(dependencies, request, { listing, member: voter, now }))) {
        return pagePath(listing) + resultAt('vote', 'challenge');
      }
      const vote = await castVote(database, listing, { voter }, now);
      countVote(counters, vote);
      queued();
      return pagePath(listing) + resultAt('vote', vote.recorded ? 'voted' : 'cooldown');
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
    return html`<p class="bad">${textsOf(request).text('errors.challenge')}</p>`;
  }
}

/** True if a sent vote form passes the challenge. @throws PageError 503 if the challenge fails itself */
async function passesChallenge({ challenge, log }: Challenged, request: Request, vote: Vote): Promise<boolean> {
  if (challenge === null) return true;
  try {
    return await challenge.verify(singleFields(request.body), contextOf(request, vote));
  } catch (thrown) {
    log.error({ challenge: challenge.name, error: messageOf(thrown) }, 'the challenge of a vote could not be verified');
    throw new PageError(503, ({ text }) => text('errors.challenge'), 30);
  }
}

function contextOf(request: Request, vote: Vote): ChallengeContext {
  return { ...vote, address: request.ip ?? '', locale: textsOf(request).locale };
}

function singleFields(body: unknown): Record<string, string> {
  const fields = Object.entries(typeof body === 'object' && body !== null ? body : {});
  return Object.fromEntries(fields.filter((field): field is [string, string] => typeof field[1] === 'string'));
}
