import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { z } from 'zod';
import { pagePath } from '../../listing/listing.ts';
import type { Database } from '../../storage/database.ts';
import { countReviews, deleteReply, findReviews, type PageReview, saveReply } from '../../storage/reviews.ts';
import { readForm, replyForm } from '../forms.ts';
import { isolated, pageLinks } from '../listing-parts.ts';
import { type OwnerCall, type PageDependencies, pageNotFound, readRowId } from '../page-routes.ts';
import { noticeAt, resultAt } from '../render-page.ts';
import { replyText, reviewText } from '../reviews-section.ts';
import type { Dashboard } from './dashboard.ts';

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
  dashboard.page(
    '/reviews',
    ({ text }) => text('reviews.title'),
    (owned) => ownersReviewsPage(database, owned),
  );

  dashboard.form('/reviews/:reviewId/reply', 'edit', async ({ request, listing, now }) => {
    const reviewId = readRowId(request.params.reviewId);
    const { reply: text } = readForm(replyForm, request.body);
    const stored = await saveReply(database, { listingId: listing.id, reviewId, text, repliedAt: now });
    if (!stored) throw pageNotFound();
    return `/reviews${resultAt(`review-${reviewId}`, 'replied')}`;
  });

  dashboard.form('/reviews/:reviewId/reply/delete', null, async ({ request, listing }) => {
    const reviewId = readRowId(request.params.reviewId);
    if (!(await deleteReply(database, listing.id, reviewId))) throw pageNotFound();
    return `/reviews${resultAt(`review-${reviewId}`, 'reply-deleted')}`;
  });
}

/** The reviews of a server with forms for the owner's replies. */
async function ownersReviewsPage(database: Database, owned: OwnerCall): Promise<Html> {
  const { request, listing, texts } = owned;
  const { text } = texts;
  const { page, unanswered } = reviewsQuery.parse(request.query);
  const selection = { unanswered, limit: reviewsPerPage + 1, offset: (page - 1) * reviewsPerPage };
  const found = await findReviews(database, listing.id, selection);
  const reviews = found.slice(0, reviewsPerPage);
  const { total, rating } = await countReviews(database, listing.id);
  const path = `/dashboard/${listing.id}/reviews`;
  const pathOf = (number: number) => `${path}?page=${number}${unanswered ? '&unanswered=1' : ''}`;
  return html`<p class="sorts">${unanswered ? html`<a href="${path}">${text('ownersReviews.all')}</a> <strong aria-current="true">${text('ownersReviews.unanswered')}</strong>` : html`<strong aria-current="true">${text('ownersReviews.all')}</strong> <a href="${path}?unanswered=1">${text('ownersReviews.unanswered')}</a>`}</p>
<section class="card" aria-labelledby="reviews"><h2 id="reviews">${rating === null ? text('ownersReviews.none') : text('ownersReviews.rating', { count: total, rating: texts.rating(rating) })}</h2>
${reviews.length === 0 && html`<p class="empty">${text('ownersReviews.nothing')}</p>`}
<ol class="reviews">${reviews.map((review) => item(review, owned))}</ol></section>
${pageLinks(page, found.length > reviews.length, pathOf, texts)}`;
}

function item(review: PageReview, owned: OwnerCall): Html {
  const { listing, visitor, texts } = owned;
  const { text } = texts;
  const { reply } = review;
  const path = `/dashboard/${listing.id}/reviews/${review.id}/reply`;
  const token = formTokenField(visitor);
  const section = `review-${review.id}`;
  return html`<li id="${section}">${noticeAt(section, owned.request, texts)}${reviewText(review, owned)}
  ${reply && replyText(reply, owned)}
  <div class="line"><details class="reply-form"><summary>${reply ? text('ownersReviews.editReply') : text('ownersReviews.reply')}</summary>
    <form class="stack" method="post" action="${path}">${token}
      <label><span class="hidden">${texts.fill('ownersReviews.replyTo', { name: isolated(review.username) })}</span><textarea name="reply" required maxlength="1000" rows="3" dir="auto">${reply?.text ?? ''}</textarea></label>
      <button>${reply ? text('ownersReviews.save') : text('ownersReviews.publish')}</button></form></details>
  ${reply && html`<form method="post" action="${path}/delete">${token}<button class="plain danger">${text('ownersReviews.delete')}</button></form>`}
  <a href="${pagePath(listing)}/reviews/${review.id}/report">${texts.text('reviews.report')}</a></div></li>`;
}
