import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { Request } from 'express';
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
import type { ServiceTexts } from '../texts/texts.ts';
import { isolated } from './listing-parts.ts';
import { noticeAt } from './render-page.ts';
import type { Visitor } from './session.ts';

/** Reviews on a page: the first ones, and all if `showsMany`. */
const maxReviews = 10;
const maxReviewsOfAll = 200;

/** The section with the visitor's own review. */
export const reviewSection = 'own-review';

export interface ReviewsView {
  readonly request: Request;
  readonly listing: StoredListing;
  readonly visitor: Visitor | null;
  readonly order: ReviewOrder;
  readonly showsMany: boolean;
  readonly now: number;
  readonly texts: ServiceTexts;
}

/** The reviews of a server with the replies of its owner, and the form for the visitor's own. */
export async function reviewsSection(database: Database, view: ReviewsView): Promise<Html> {
  const { listing, visitor, order, showsMany, texts } = view;
  const { total, rating } = await countReviews(database, listing.id);
  const limit = showsMany ? maxReviewsOfAll : maxReviews;
  const reviews = await findReviews(database, listing.id, { order, limit });
  const own = visitor && (await findReviewBy(database, listing.id, visitor.userId));
  const sorts = reviewOrders.map((name) =>
    name === order
      ? html`<strong aria-current="true">${texts.text(`reviews.orders.${name}`)}</strong>`
      : html`<a href="${pagePath(listing)}?sort=${name}#reviews">${texts.text(`reviews.orders.${name}`)}</a>`,
  );
  return html`${rating === null ? html`<p class="quiet">${texts.text('reviews.none')}</p>` : html`<p class="rating"><strong>${texts.rating(rating)}</strong> <span class="quiet">${texts.text('reviews.ofFive', { count: total })}</span></p>`}
    ${listing.state === 'published' && reviewForm(view, own)}
    ${total > 1 && html`<p class="sorts">${sorts}</p>`}
    <ol class="reviews">${reviews.map((review) => reviewItem(review, view))}</ol>
    ${reviews.length < total && html`<p>${!showsMany && html`<a href="${pagePath(listing)}?sort=${order}&amp;all=1#reviews">${texts.text('reviews.showMore')}</a> `}<span class="quiet">${texts.text('reviews.shown', { shown: texts.number(reviews.length), total: texts.number(total) })}</span></p>`}`;
}

function reviewItem(review: PageReview, { listing, visitor, now, texts }: ReviewsView): Html {
  const canReport = visitor !== null && visitor.userId !== review.userId;
  const report = html` · <a href="${pagePath(listing)}/reviews/${review.id}/report">${texts.text('reviews.report')}</a>`;
  return html`<li id="review-${review.id}">${reviewText(review, { now, texts }, canReport && report)}
      ${review.reply && replyText(review.reply, { now, texts })}</li>`;
}

type TextContext = Pick<ReviewsView, 'now' | 'texts'>;

/** A review, without its reply. @param link follows the author */
export function reviewText(review: PageReview, { now, texts }: TextContext, link: Html | false = false): Html {
  const stars = '★'.repeat(review.rating) + '☆'.repeat(5 - review.rating);
  return html`<p class="stars" role="img" aria-label="${texts.text('counts.stars', { count: review.rating })}">${stars}</p>
      <p class="comment">${isolated(review.comment)}</p>
      <p class="quiet">${isolated(review.username)} · ${texts.ago(review.createdAt, now)}${link}</p>`;
}

export function replyText({ text, repliedAt }: NonNullable<PageReview['reply']>, { now, texts }: TextContext): Html {
  return html`<div class="reply"><p class="quiet"><strong>${texts.text('reviews.ownersReply')}</strong> · ${texts.ago(repliedAt, now)}</p>
      <p class="comment">${isolated(text)}</p></div>`;
}

/** Opened by its name, and open at the result of the form. */
function reviewForm({ request, listing, visitor, texts }: ReviewsView, own: PageReview | null): Html {
  const path = `${pagePath(listing)}/reviews`;
  if (!visitor) {
    const next = encodeURIComponent(`${pagePath(listing)}#${reviewSection}`);
    return html`<p><a class="button second" href="/sign-in?next=${next}">${texts.text('reviews.signInToReview')}</a></p>`;
  }
  const notice = noticeAt(reviewSection, request, texts);
  return html`<details class="own-review" id="${reviewSection}"${notice !== null && html` open`}><summary>${own ? texts.text('reviews.your') : texts.text('reviews.write')}</summary>${notice}
    <form class="stack" method="post" action="${path}">${formTokenField(visitor)}
      ${starChoice(own?.rating ?? null, texts)}
      <label>${texts.text('reviews.comment')} <textarea name="comment" required maxlength="1000" rows="3">${own?.comment ?? ''}</textarea></label>
      <button>${own ? texts.text('reviews.save') : texts.text('reviews.publish')}</button>
    </form>
    ${own && html`<form class="line" method="post" action="${path}/delete">${formTokenField(visitor)}<button class="plain danger">${texts.text('reviews.delete')}</button></form>`}
    </details>`;
}

/** One to five stars, of which those up to the chosen one are filled. @param chosen null before there is a review */
function starChoice(chosen: number | null, { text }: ServiceTexts): Html {
  const stars = [1, 2, 3, 4, 5].map(
    (count) =>
      html`<label><input type="radio" name="rating" value="${count}" required${count === chosen && html` checked`}><span class="hidden">${text('counts.stars', { count })}</span></label>`,
  );
  return html`<fieldset class="star-choice"><legend>${text('reviews.stars')}</legend>${stars}</fieldset>`;
}
