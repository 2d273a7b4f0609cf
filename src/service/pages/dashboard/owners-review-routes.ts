import { Router } from 'express';
import { z } from 'zod';
import { findReviews } from '../../storage/reviews/review-pages.ts';
import { deleteReply, saveReply } from '../../storage/reviews/review-replies.ts';
import { countReviews } from '../../storage/reviews/reviews.ts';
import type { PageDependencies } from '../dependencies.ts';
import { readForm, replyForm } from '../forms.ts';
import { readRowId } from '../path-parameters.ts';
import { pageNotFound, renderServicePage } from '../render-page.ts';
import type { Dashboard } from './dashboard.ts';
import { ownersReviewsPage } from './reviews-page.ts';
import { dashboardFrame } from './tabs.ts';

const reviewsPerPage = 20;
const reviewsQuery = z.object({
  page: z.coerce.number().int().min(1).max(10_000).catch(1),
  unanswered: z
    .literal('1')
    .transform(() => true)
    .catch(false),
});

/** The reviews of a listing for its owner, with the forms for replies. */
export function ownersReviewRoutes({ sending }: PageDependencies, dashboard: Dashboard): Router {
  const { database, clock } = sending;
  const router = Router();

  router.get('/dashboard/:id/reviews', async (request, response) => {
    const owned = await dashboard.requireOwnerPage(request, response);
    if (owned === null) return;
    const { listing, visitor } = owned;
    const { page, unanswered } = reviewsQuery.parse(request.query);
    const selection = { unanswered, limit: reviewsPerPage + 1, offset: (page - 1) * reviewsPerPage };
    const found = await findReviews(database, listing.id, { order: 'newest', ...selection });
    const reviews = found.slice(0, reviewsPerPage);
    const counts = await countReviews(database, listing.id);
    const hasMore = found.length > reviews.length;
    const view = { listing, visitor, reviews, unanswered, page, hasMore, ...counts, now: clock.now() };
    const body = dashboardFrame(listing, '/reviews', 'Reviews', ownersReviewsPage(view));
    renderServicePage(request, response, { title: 'Reviews', visitor, body });
  });

  router.post('/dashboard/:id/reviews/:reviewId/reply', async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request, 'edit');
    const reviewId = readRowId(request.params.reviewId);
    const { reply: text } = readForm(replyForm, request.body);
    const stored = await saveReply(database, { listingId: listing.id, reviewId, text, repliedAt: clock.now() });
    if (!stored) throw pageNotFound();
    response.redirect(303, `/dashboard/${listing.id}/reviews?notice=replied#review-${reviewId}`);
  });

  router.post('/dashboard/:id/reviews/:reviewId/reply/delete', async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request);
    const reviewId = readRowId(request.params.reviewId);
    if (!(await deleteReply(database, listing.id, reviewId))) throw pageNotFound();
    response.redirect(303, `/dashboard/${listing.id}/reviews?notice=reply-deleted#review-${reviewId}`);
  });

  return router;
}
