import { formatCount } from '../../platform/durations.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { timeAgo } from '../../platform/web/time-element.ts';
import { pagePath } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import type { StoredListing } from '../storage/listings/listings.ts';
import {
  countReviews,
  findReviewBy,
  findReviews,
  type PageReview,
  type ReviewOrder,
  reviewOrders,
} from '../storage/reviews.ts';
import { isolated } from './listing-parts.ts';
import type { Visitor } from './session.ts';

/** Reviews on a page: the first ones, and all if `showsMany`. */
const maxReviews = 10;
const maxReviewsOfAll = 200;

export interface ReviewsView {
  readonly listing: StoredListing;
  readonly visitor: Visitor | null;
  readonly order: ReviewOrder;
  readonly showsMany: boolean;
  readonly now: number;
}

const orderNames: Readonly<Record<ReviewOrder, string>> = {
  newest: 'Newest',
  highest: 'Best rating',
  lowest: 'Worst rating',
};

/** The reviews of a server with the replies of its owner, and the form for the visitor's own. */
export async function reviewsSection(database: Database, view: ReviewsView): Promise<Html> {
  const { listing, visitor, order, showsMany } = view;
  const { total, rating } = await countReviews(database, listing.id);
  const limit = showsMany ? maxReviewsOfAll : maxReviews;
  const reviews = await findReviews(database, listing.id, { order, limit, offset: 0 });
  const own = visitor && (await findReviewBy(database, listing.id, visitor.userId));
  const sorts = reviewOrders.map((name) =>
    name === order
      ? html`<strong aria-current="true">${orderNames[name]}</strong>`
      : html`<a href="${pagePath(listing)}?sort=${name}#reviews">${orderNames[name]}</a>`,
  );
  return html`${rating === null ? html`<p class="quiet">No reviews yet.</p>` : html`<p class="rating"><strong>${rating.toFixed(1)}</strong> <span class="quiet">of 5 from ${formatCount(total, 'review')}</span></p>`}
    ${total > 1 && html`<p class="sorts">${sorts}</p>`}
    <ol class="reviews">${reviews.map((review) => reviewItem(review, view))}</ol>
    ${reviews.length < total && html`<p>${!showsMany && html`<a href="${pagePath(listing)}?sort=${order}&amp;all=1#reviews">Show more reviews</a> `}<span class="quiet">${reviews.length} of ${total.toLocaleString('en')}</span></p>`}
    ${listing.state === 'published' && reviewForm(view, own)}`;
}

function reviewItem(review: PageReview, { listing, visitor, now }: ReviewsView): Html {
  const canReport = visitor !== null && visitor.userId !== review.userId;
  const report = html` · <a href="${pagePath(listing)}/reviews/${review.id}/report">Report</a>`;
  return html`<li id="review-${review.id}">${reviewText(review, now, canReport && report)}
      ${review.reply && replyText(review.reply.text, review.reply.repliedAt, now)}</li>`;
}

/** A review, without its reply. @param link follows the author */
export function reviewText(review: PageReview, now: number, link: Html | false = false): Html {
  const stars = '★'.repeat(review.rating) + '☆'.repeat(5 - review.rating);
  return html`<p class="stars" role="img" aria-label="${formatCount(review.rating, 'star')}">${stars}</p>
      <p class="comment">${isolated(review.comment)}</p>
      <p class="quiet">${isolated(review.username)} · ${timeAgo(review.createdAt, now)}${link}</p>`;
}

export function replyText(text: string, repliedAt: number, now: number): Html {
  return html`<div class="reply"><p class="quiet"><strong>Reply of the owner</strong> · ${timeAgo(repliedAt, now)}</p>
      <p class="comment">${isolated(text)}</p></div>`;
}

function reviewForm({ listing, visitor }: ReviewsView, own: PageReview | null): Html | null {
  const path = `${pagePath(listing)}/reviews`;
  if (!visitor) {
    return html`<p><a class="button second" href="/sign-in?next=${encodeURIComponent(pagePath(listing))}">Sign in to write a review</a></p>`;
  }
  const rating = own?.rating ?? 5;
  return html`<section class="card" aria-labelledby="own-review"><h3 id="own-review">${own ? 'Your review' : 'Write a review'}</h3>
    <form class="stack" method="post" action="${path}">${formTokenField(visitor)}
      <label>Stars <select name="rating">${[5, 4, 3, 2, 1].map((stars) => html`<option value="${stars}"${stars === rating && html` selected`}>${formatCount(stars, 'star')}</option>`)}</select></label>
      <label>Comment <textarea name="comment" required maxlength="1000" rows="3">${own?.comment ?? ''}</textarea></label>
      <button>${own ? 'Save review' : 'Publish review'}</button>
    </form>
    ${own && html`<form class="line" method="post" action="${path}/delete">${formTokenField(visitor)}<button class="plain danger">Delete your review</button></form>`}
    </section>`;
}
