import { Router } from 'express';
import { castVote } from '../actions/cast-vote.ts';
import { voteCooldownOf } from '../listing/cooldown.ts';
import { type Listing, type ListingKind, pagePath } from '../listing/listing.ts';
import { startOfMonth } from '../listing/period.ts';
import { allListings, findListing } from '../storage/listings.ts';
import { countReviews, type ReviewOrder, reviewOrders, reviewsOf, upsertReview } from '../storage/reviews.ts';
import { countVotes, lastVoteAt, recentVotes } from '../storage/votes.ts';
import { type PageDependencies, postingVisitor, renderServicePage } from './dependencies.ts';
import { readForm, reviewForm } from './forms.ts';
import { homePage } from './home-page.ts';
import { listingPage } from './listing-page.ts';
import { notFound } from './page-error.ts';

const fewReviews = 10;
const manyReviews = 200;
const shownVoters = 8;

/** What everybody may see, and what members do there: vote and review. */
export function publicRoutes(rooms: PageDependencies): Router {
  const { sending, sessions, queued } = rooms;
  const { database, clock } = sending;
  const router = Router();

  async function listed(kind: ListingKind, id: string): Promise<Listing> {
    const listing = await findListing(database, id);
    if (listing?.kind !== kind) throw notFound();
    return listing;
  }

  router.get('/', async (request, response) => {
    const listings = await allListings(database);
    const counted = await Promise.all(
      listings.map(async (listing) => ({ listing, votes: await countVotes(database, listing.id) })),
    );
    const visitor = await sessions.visitor(request, clock.now());
    renderServicePage(request, response, { title: 'Servers and bots', visitor, body: homePage(counted) });
  });

  for (const kind of ['server', 'bot'] as const) {
    router.get(`/${kind}s/:id`, async (request, response) => {
      const listing = await listed(kind, request.params.id);
      const now = clock.now();
      const visitor = await sessions.visitor(request, now);
      const order = readOrder(request.query['sort']);
      const { total, rating } = await countReviews(database, listing.id);
      const body = listingPage({
        listing,
        visitor,
        standing: visitor && voteCooldownOf(await lastVoteAt(database, listing.id, visitor.userId), now),
        votes: await countVotes(database, listing.id),
        monthlyVotes: await countVotes(database, listing.id, startOfMonth(now)),
        voters: await recentVotes(database, listing.id, shownVoters),
        reviews: await reviewsOf(database, listing.id, order, request.query['all'] ? manyReviews : fewReviews),
        order,
        totalReviews: total,
        rating,
        now,
      });
      renderServicePage(request, response, { title: listing.name, visitor, body });
    });

    router.post(`/${kind}s/:id/vote`, async (request, response) => {
      const voter = await postingVisitor(rooms, request);
      const listing = await listed(kind, request.params.id);
      const { userId, username } = voter;
      const outcome = await castVote(database, listing, { voter: { userId, username } }, clock.now());
      queued();
      response.redirect(303, `${pagePath(listing)}?notice=${outcome.recorded ? 'voted' : 'cooldown'}`);
    });
  }

  router.post('/servers/:id/reviews', async (request, response) => {
    const { userId, username } = await postingVisitor(rooms, request);
    const listing = await listed('server', request.params.id);
    const { rating, comment } = readForm(reviewForm, request.body);
    await upsertReview(database, { listingId: listing.id, userId, username, rating, comment, createdAt: clock.now() });
    response.redirect(303, `${pagePath(listing)}?notice=reviewed`);
  });

  return router;
}

function readOrder(value: unknown): ReviewOrder {
  return reviewOrders.find((order) => order === value) ?? 'newest';
}
