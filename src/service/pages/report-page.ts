import { z } from 'zod';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { type ReportReason, reportReasons } from '../abuse/reports.ts';
import { pagePath } from '../listing/listing.ts';
import type { StoredListing } from '../storage/listings/listings.ts';
import type { PageReview } from '../storage/reviews/review-pages.ts';
import { paragraphs } from './form-text.ts';
import { isolated } from './listing-parts.ts';
import { reviewText } from './reviews-section.ts';
import type { Visitor } from './session.ts';

export const reportForm = z.object({
  reason: z.enum(Object.keys(reportReasons) as [ReportReason, ...ReportReason[]]),
  text: paragraphs(1_000, 0).default(''),
});

/** The form with which a member reports a listing, or one of its reviews. */
export function reportPage(
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
