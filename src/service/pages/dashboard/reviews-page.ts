import { formatCount } from '../../../platform/durations.ts';
import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { pagePath } from '../../listing/listing.ts';
import type { StoredListing } from '../../storage/listings/listings.ts';
import type { PageReview } from '../../storage/reviews/review-pages.ts';
import { isolated } from '../listing-parts.ts';
import { replyText, reviewText } from '../reviews-section.ts';
import type { Visitor } from '../session.ts';

export interface OwnersReviewsView {
  readonly listing: StoredListing;
  readonly visitor: Visitor;
  readonly reviews: readonly PageReview[];
  readonly unanswered: boolean;
  readonly page: number;
  readonly hasMore: boolean;
  readonly total: number;
  readonly rating: number | null;
  readonly now: number;
}

/** The reviews of a server with forms for the owner's replies. */
export function ownersReviewsPage(view: OwnersReviewsView): Html {
  const { listing, reviews, unanswered, page, hasMore, total, rating } = view;
  const path = `/dashboard/${listing.id}/reviews`;
  const pathOf = (number: number) => `${path}?page=${number}${unanswered ? '&unanswered=1' : ''}`;
  return html`<p class="sorts">${unanswered ? html`<a href="${path}">All reviews</a> <strong aria-current="true">Without reply</strong>` : html`<strong aria-current="true">All reviews</strong> <a href="${path}?unanswered=1">Without reply</a>`}</p>
<section class="card" aria-labelledby="reviews"><h2 id="reviews">${rating === null ? 'No reviews yet' : `${rating.toFixed(1)} of 5 from ${formatCount(total, 'review')}`}</h2>
${reviews.length === 0 && html`<p class="empty">There is nothing here.</p>`}
<ol class="reviews">${reviews.map((review) => item(review, view))}</ol></section>
${
  (page > 1 || hasMore) &&
  html`<nav class="pages" aria-label="Pages">
  ${page > 1 && html`<a class="button second" rel="prev" href="${pathOf(page - 1)}">Previous</a>`}
  <span class="quiet">Page ${page}</span>
  ${hasMore && html`<a class="button second" rel="next" href="${pathOf(page + 1)}">Next</a>`}</nav>`
}`;
}

function item(review: PageReview, { listing, visitor, now }: OwnersReviewsView): Html {
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
