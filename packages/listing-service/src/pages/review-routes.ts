import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { Router } from 'express';
import { z } from 'zod';
import { fileReport, reportReasons } from '../abuse/reports.ts';
import { pagePath, type ServiceListingKind } from '../listing/listing.ts';
import type { StoredListing } from '../storage/listings/listings.ts';
import { deleteReviewBy, findReview, type PageReview, upsertReview } from '../storage/reviews.ts';
import { paragraphs, readForm, reviewForm } from './forms.ts';
import { isolated } from './listing-parts.ts';
import {
  findPathListing,
  isVisible,
  type PageCall,
  type PageDependencies,
  PageRoutes,
  pageNotFound,
  readRowId,
  requireVisibleListing,
} from './page-routes.ts';
import { resultAt } from './render-page.ts';
import { reviewSection, reviewText } from './reviews-section.ts';
import type { Visitor } from './session.ts';

/** The forms of members for their review of a server, and for reports of reviews and listings. */
export function reviewRoutes(dependencies: PageDependencies): Router {
  const { database, admission, counters } = dependencies;
  const routes = new PageRoutes(dependencies);

  routes.form('/servers/:id/reviews', async ({ request, visitor: { userId, username }, now }) => {
    const listing = await requireVisibleListing(database, 'server', request.params.id, null);
    const { rating, comment } = readForm(reviewForm, request.body);
    await admission.admit(request, 'review', userId);
    await upsertReview(database, { listingId: listing.id, userId, username, rating, comment, createdAt: now });
    counters.reviews += 1;
    return pagePath(listing) + resultAt(reviewSection, 'reviewed');
  });

  routes.form('/servers/:id/reviews/delete', async ({ request, visitor }) => {
    const listing = await findPathListing(database, request.params.id);
    // Also of a hidden listing, whose page the author cannot open.
    if (listing === null || !(await deleteReviewBy(database, listing.id, visitor.userId))) throw pageNotFound();
    if (listing.state === 'published') return pagePath(listing) + resultAt(reviewSection, 'review-deleted');
    const isOpen = await isVisible(database, listing, visitor);
    return `${isOpen ? pagePath(listing) : '/your-data'}?notice=review-deleted`;
  });

  reportRoutes('server', '/servers/:id/report');
  reportRoutes('bot', '/bots/:id/report');
  reportRoutes('server', '/servers/:id/reviews/:reviewId/report');

  function reportRoutes(kind: ServiceListingKind, path: string): void {
    routes.memberPage<string, ReportPath>(path, async ({ request, visitor, now, texts }) => {
      const reported = await findReported(kind, request.params, visitor);
      return { title: texts.text('report.title'), body: reportPage(reported, { visitor, now, texts }) };
    });

    routes.form<string, ReportPath>(path, async ({ request, visitor, now }) => {
      const { listing, review } = await findReported(kind, request.params, visitor);
      const { reason, text } = readForm(reportForm, request.body);
      await admission.admit(request, 'report', visitor.userId);
      const outcome = await fileReport(database, {
        ...(review === null ? { kind: 'listing' } : { kind: 'review', reviewId: review.id }),
        listingId: listing.id,
        reporterId: visitor.userId,
        reason,
        text,
        now,
      });
      if (outcome === 'not-found') throw pageNotFound();
      return `${pagePath(listing)}?notice=${outcome === 'filed' ? 'reported' : 'reported-already'}`;
    });
  }

  async function findReported(kind: ServiceListingKind, path: ReportPath, visitor: Visitor): Promise<Reported> {
    const listing = await requireVisibleListing(database, kind, path.id, visitor);
    if (path.reviewId === undefined) return { listing, review: null };
    const review = await findReview(database, listing.id, readRowId(path.reviewId));
    if (review === null) throw pageNotFound();
    return { listing, review };
  }

  return routes.router;
}

type ReportPath = { id: string; reviewId?: string };

/** `review` is null for a report of the listing. */
interface Reported {
  readonly listing: StoredListing;
  readonly review: PageReview | null;
}

export const reportForm = z.object({ reason: z.enum(reportReasons), text: paragraphs(1_000, 0).default('') });

/** The form with which a member reports a listing, or one of its reviews. */
function reportPage({ listing, review }: Reported, call: Pick<PageCall, 'visitor' | 'now' | 'texts'>): Html {
  const { visitor, texts } = call;
  const { text } = texts;
  const action = review === null ? `${pagePath(listing)}/report` : `${pagePath(listing)}/reviews/${review.id}/report`;
  return html`<h1>${review === null ? texts.text(`listing.report.${listing.kind}`) : text('report.review')}</h1>
<p class="quiet">${isolated(listing.name)}</p>
${review && html`<blockquote class="card">${reviewText(review, call)}</blockquote>`}
<form class="card stack" method="post" action="${action}">${formTokenField(visitor)}
  <label>${text('report.reason')} <select name="reason">${reportReasons.map((value) => html`<option value="${value}">${text(`report.reasons.${value}`)}</option>`)}</select></label>
  <label>${text('report.details')} <textarea name="text" maxlength="1000" rows="4"></textarea></label>
  <p class="quiet">${text('report.privacy')}</p>
  <div class="line"><button>${text('report.send')}</button> <a href="${pagePath(listing)}">${texts.text('frame.cancel')}</a></div>
</form>`;
}
