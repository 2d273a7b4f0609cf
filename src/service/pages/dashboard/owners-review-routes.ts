import { z } from 'zod';
import { formatCount } from '../../../platform/durations.ts';
import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { pagePath } from '../../listing/listing.ts';
import type { Database } from '../../storage/database.ts';
import { countReviews, deleteReply, findReviews, type PageReview, saveReply } from '../../storage/reviews.ts';
import { readForm, replyForm } from '../forms.ts';
import { isolated, pageLinks } from '../listing-parts.ts';
import { type PageDependencies, pageNotFound, readRowId } from '../page-routes.ts';
import { replyText, reviewText } from '../reviews-section.ts';
import type { Dashboard, OwnerCall } from './dashboard.ts';

const reviewsPerPage = 20;
const reviewsQuery = z.object({
  page: z.coerce.number().int().min(1).max(10_000).catch(1),
  unanswered: z
    .literal('1')
    .transform(() => true)
    .catch(false),
});

/** The reviews of a listing for its owner, with the forms for replies. */
export function addReviewRoutes(dashboard: Dashboard, { database }: PageDependencies): void {
  dashboard.page('/reviews', { title: 'Reviews' }, (owned) => ownersReviewsPage(database, owned));

  dashboard.form('/reviews/:reviewId/reply', 'edit', async ({ request, listing, now }) => {
    const reviewId = readRowId(request.params.reviewId);
    const { reply: text } = readForm(replyForm, request.body);
    const stored = await saveReply(database, { listingId: listing.id, reviewId, text, repliedAt: now });
    if (!stored) throw pageNotFound();
    return `/reviews?notice=replied#review-${reviewId}`;
  });

  dashboard.form('/reviews/:reviewId/reply/delete', null, async ({ request, listing }) => {
    const reviewId = readRowId(request.params.reviewId);
    if (!(await deleteReply(database, listing.id, reviewId))) throw pageNotFound();
    return `/reviews?notice=reply-deleted#review-${reviewId}`;
  });
}

/** The reviews of a server with forms for the owner's replies. */
async function ownersReviewsPage(database: Database, owned: OwnerCall): Promise<Html> {
  const { request, listing } = owned;
  const { page, unanswered } = reviewsQuery.parse(request.query);
  const selection = { unanswered, limit: reviewsPerPage + 1, offset: (page - 1) * reviewsPerPage };
  const found = await findReviews(database, listing.id, { order: 'newest', ...selection });
  const reviews = found.slice(0, reviewsPerPage);
  const { total, rating } = await countReviews(database, listing.id);
  const path = `/dashboard/${listing.id}/reviews`;
  const pathOf = (number: number) => `${path}?page=${number}${unanswered ? '&unanswered=1' : ''}`;
  return html`<p class="sorts">${unanswered ? html`<a href="${path}">All reviews</a> <strong aria-current="true">Without reply</strong>` : html`<strong aria-current="true">All reviews</strong> <a href="${path}?unanswered=1">Without reply</a>`}</p>
<section class="card" aria-labelledby="reviews"><h2 id="reviews">${rating === null ? 'No reviews yet' : `${rating.toFixed(1)} of 5 from ${formatCount(total, 'review')}`}</h2>
${reviews.length === 0 && html`<p class="empty">There is nothing here.</p>`}
<ol class="reviews">${reviews.map((review) => item(review, owned))}</ol></section>
${pageLinks(page, found.length > reviews.length, pathOf)}`;
}

function item(review: PageReview, { listing, visitor, now }: OwnerCall): Html {
  const { reply } = review;
  const path = `/dashboard/${listing.id}/reviews/${review.id}/reply`;
  const token = formTokenField(visitor);
  return html`<li id="review-${review.id}">${reviewText(review, now)}
  ${reply && replyText(reply.text, reply.repliedAt, now)}
  <div class="line"><details class="reply-form"><summary>${reply ? 'Edit reply' : 'Reply'}</summary>
    <form class="stack" method="post" action="${path}">${token}
      <label><span class="hidden">Reply to ${isolated(review.username)}</span><textarea name="reply" required maxlength="1000" rows="3" dir="auto">${reply?.text ?? ''}</textarea></label>
      <button>${reply ? 'Save reply' : 'Publish reply'}</button></form></details>
  ${reply && html`<form method="post" action="${path}/delete">${token}<button class="plain danger">Delete reply</button></form>`}
  <a href="${pagePath(listing)}/reviews/${review.id}/report">Report</a></div></li>`;
}
