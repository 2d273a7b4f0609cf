import { Router } from 'express';
import { passesChallenge, renderChallenge } from '../abuse/challenge-form.ts';
import { castVote } from '../actions/cast-vote.ts';
import { voteCooldownOf } from '../listing/cooldown.ts';
import { type Listing, pagePath, type ServiceListingKind } from '../listing/listing.ts';
import { countVote } from '../monitoring/service-counters.ts';
import { allListings, findListing } from '../storage/listings.ts';
import { findReviews } from '../storage/review-pages.ts';
import { countReviews, type ReviewOrder, reviewOrders, upsertReview } from '../storage/reviews.ts';
import { countVotes, lastVoteAt, recentVotes } from '../storage/votes.ts';
import type { PageDependencies } from './dependencies.ts';
import { readForm, reviewForm } from './forms.ts';
import { homePage } from './home-page.ts';
import { listingPage } from './listing-page.ts';
import { pageNotFound, renderServicePage, requireVisitor } from './render-page.ts';

const maxReviews = 10;
const maxReviewsOfAll = 200;
const maxVoters = 8;

/** The public pages, with the forms for votes and reviews. */
export function publicRoutes(dependencies: PageDependencies): Router {
  const { sending, sessions, queued, admission } = dependencies;
  const { database, clock, counters } = sending;
  const router = Router();

  async function requireListing(kind: ServiceListingKind, id: string): Promise<Listing> {
    const listing = await findListing(database, id);
    if (listing?.kind !== kind) throw pageNotFound();
    return listing;
  }

  router.get('/', async (request, response) => {
    const listings = await allListings(database);
    const listingsWithVotes = await Promise.all(
      listings.map(async (listing) => ({
        listing,
        votes: (await countVotes(database, listing.id, clock.now())).total,
      })),
    );
    const visitor = await sessions.visitor(request, clock.now());
    renderServicePage(request, response, { title: 'Servers and bots', visitor, body: homePage(listingsWithVotes) });
  });

  for (const kind of ['server', 'bot'] as const) {
    router.get(`/${kind}s/:id`, async (request, response) => {
      const listing = await requireListing(kind, request.params.id);
      const now = clock.now();
      const visitor = await sessions.visitor(request, now);
      const order = readOrder(request.query['sort']);
      const votes = await countVotes(database, listing.id, now);
      const { total, rating } = await countReviews(database, listing.id);
      const body = listingPage({
        listing,
        visitor,
        cooldown: visitor && voteCooldownOf(await lastVoteAt(database, listing.id, visitor.userId), now),
        votes: votes.total,
        monthlyVotes: votes.month,
        voters: await recentVotes(database, listing.id, maxVoters),
        reviews: await findReviews(database, listing.id, {
          order,
          limit: request.query['all'] ? maxReviewsOfAll : maxReviews,
          offset: 0,
        }),
        order,
        totalReviews: total,
        rating,
        challenge: visitor && (await renderChallenge(dependencies, request, { listing, member: visitor, now })),
        now,
      });
      renderServicePage(request, response, { title: listing.name, visitor, body });
    });

    router.post(`/${kind}s/:id/vote`, async (request, response) => {
      const { userId, username } = await requireVisitor(dependencies, request);
      const listing = await requireListing(kind, request.params.id);
      const now = clock.now();
      await admission.admit(request, 'vote', userId);
      const context = { listing, member: { userId, username }, now };
      if (!(await passesChallenge(dependencies, request, context))) {
        return response.redirect(303, `${pagePath(listing)}?notice=challenge`);
      }
      const vote = await castVote(database, listing, { voter: { userId, username } }, now);
      countVote(counters, vote);
      queued();
      response.redirect(303, `${pagePath(listing)}?notice=${vote.recorded ? 'voted' : 'cooldown'}`);
    });
  }

  router.post('/servers/:id/reviews', async (request, response) => {
    const { userId, username } = await requireVisitor(dependencies, request);
    const listing = await requireListing('server', request.params.id);
    const { rating, comment } = readForm(reviewForm, request.body);
    await admission.admit(request, 'review', userId);
    await upsertReview(database, { listingId: listing.id, userId, username, rating, comment, createdAt: clock.now() });
    counters.reviews += 1;
    response.redirect(303, `${pagePath(listing)}?notice=reviewed`);
  });

  return router;
}

function readOrder(value: unknown): ReviewOrder {
  return reviewOrders.find((order) => order === value) ?? 'newest';
}
