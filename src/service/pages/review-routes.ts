import { type Request, Router } from 'express';
import { z } from 'zod';
import { isSnowflake } from '../../platform/snowflake.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { fileReport, type ReportReason, reportReasons } from '../abuse/reports.ts';
import { pagePath, type ServiceListingKind } from '../listing/listing.ts';
import { findListing, type StoredListing } from '../storage/listings/listings.ts';
import { findReview, type PageReview } from '../storage/reviews/review-pages.ts';
import { deleteReviewBy, upsertReview } from '../storage/reviews/reviews.ts';
import type { PageDependencies } from './dependencies.ts';
import { isVisible, readRowId, requireVisibleListing } from './find-page-listing.ts';
import { paragraphs, readForm, reviewForm } from './forms.ts';
import { isolated } from './listing-parts.ts';
import { pageNotFound, renderServicePage, requireVisitor } from './render-page.ts';
import { reviewText } from './reviews-section.ts';
import type { Visitor } from './session.ts';

/** The forms of members for their review of a server, and for reports of reviews and listings. */
export function reviewRoutes(dependencies: PageDependencies): Router {
  const { sending, sessions, admission } = dependencies;
  const { database, clock } = sending;
  const router = Router();

  router.post('/servers/:id/reviews', async (request, response) => {
    const { userId, username } = await requireVisitor(dependencies, request);
    const listing = await requireVisibleListing(database, 'server', request.params.id, null);
    const { rating, comment } = readForm(reviewForm, request.body);
    await admission.admit(request, 'review', userId);
    await upsertReview(database, { listingId: listing.id, userId, username, rating, comment, createdAt: clock.now() });
    sending.counters.reviews += 1;
    response.redirect(303, `${pagePath(listing)}?notice=reviewed`);
  });

  router.post('/servers/:id/reviews/delete', async (request, response) => {
    const visitor = await requireVisitor(dependencies, request);
    const listing = isSnowflake(request.params.id) ? await findListing(database, request.params.id) : null;
    // Also of a hidden listing, whose page the author cannot open.
    if (listing === null || !(await deleteReviewBy(database, listing.id, visitor.userId))) throw pageNotFound();
    const back = isVisible(listing, visitor) ? pagePath(listing) : '/your-data';
    response.redirect(303, `${back}?notice=review-deleted`);
  });

  for (const kind of ['server', 'bot'] as const) {
    reportRoutes(kind, `/${kind}s/:id/report`);
  }
  reportRoutes('server', '/servers/:id/reviews/:reviewId/report');

  function reportRoutes(kind: ServiceListingKind, path: string): void {
    router.get(path, async (request: Request<ReportPath>, response) => {
      const now = clock.now();
      const visitor = await sessions.visitor(request, now);
      if (!visitor) return response.redirect(303, `/sign-in?next=${encodeURIComponent(request.path)}`);
      const listing = await requireVisibleListing(database, kind, request.params.id, visitor);
      const body = reportPage({ listing, review: await readReview(request.params) }, visitor, now);
      renderServicePage(request, response, { title: 'Report', visitor, body });
    });

    router.post(path, async (request: Request<ReportPath>, response) => {
      const visitor = await requireVisitor(dependencies, request);
      const listing = await requireVisibleListing(database, kind, request.params.id, visitor);
      const review = await readReview(request.params);
      const { reason, text } = readForm(reportForm, request.body);
      await admission.admit(request, 'report', visitor.userId);
      const outcome = await fileReport(database, {
        listingId: listing.id,
        reporterId: visitor.userId,
        now: clock.now(),
        ...{ reason, text },
        ...(review === null ? { kind: 'listing' } : { kind: 'review', reviewId: review.id }),
      });
      if (outcome === 'not-found') throw pageNotFound();
      response.redirect(303, `${pagePath(listing)}?notice=${outcome === 'filed' ? 'reported' : 'reported-already'}`);
    });
  }

  async function readReview({ id, reviewId }: ReportPath): Promise<PageReview | null> {
    if (reviewId === undefined) return null;
    const review = await findReview(database, id, readRowId(reviewId));
    if (review === null) throw pageNotFound();
    return review;
  }

  return router;
}

type ReportPath = { id: string; reviewId?: string };

export const reportForm = z.object({
  reason: z.enum(Object.keys(reportReasons) as [ReportReason, ...ReportReason[]]),
  text: paragraphs(1_000, 0).default(''),
});

/** The form with which a member reports a listing, or one of its reviews. */
function reportPage(
  { listing, review }: { readonly listing: StoredListing; readonly review: PageReview | null },
  visitor: Visitor,
  now: number,
): Html {
  const action = review === null ? `${pagePath(listing)}/report` : `${pagePath(listing)}/reviews/${review.id}/report`;
  return html`<h1>${review === null ? `Report this ${listing.kind}` : 'Report a review'}</h1>
<p class="quiet">${isolated(listing.name)}</p>
${review && html`<blockquote class="card">${reviewText(review, now)}</blockquote>`}
<form class="card stack" method="post" action="${action}">${formTokenField(visitor)}
  <label>Reason <select name="reason">${Object.entries(reportReasons).map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></label>
  <label>What should the operator know? <textarea name="text" maxlength="1000" rows="4"></textarea></label>
  <p class="quiet">The operator sees your report with your name. The author does not.</p>
  <div class="line"><button>Send report</button> <a href="${pagePath(listing)}">Cancel</a></div>
</form>`;
}
