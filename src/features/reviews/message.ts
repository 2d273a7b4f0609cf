import { bold, escapeName, escapeText, lines, type Markup, markup, repeated } from '@tallyhook/platform/texts/markup';
import {
  type ListingCard,
  type ListingMessages,
  listingName,
  postAbout,
} from '../../core/announcements/listing-card.ts';
import type { Preview } from '../../core/announcements/preview.ts';
import type { Handle } from '../../core/outbox/perform.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import type { Texts } from '../../texts/texts.ts';
import { reviewsAnnounced } from './settings.ts';
import type { Review, ReviewAnnouncement } from './store.ts';

const maxNameLength = 80;
const maxCommentLength = 1_500;
/** Characters of the digest in the footer of a review without a time, by which the message is found again. */
const shownIdLength = 8;

/** Announces a new review, with its time. */
export function createReviewHandler(messages: ListingMessages): Handle<ReviewAnnouncement> {
  return (effect) =>
    postAbout(messages, effect, async ({ texts, card }) => {
      const { listing, id, review } = effect.content;
      const footer = review.createdAt === null ? id.slice(0, shownIdLength) : '';
      const reply = { ...renderNewReview(review, { listing, texts, card }), footer };
      return { reply, contains: escapeText(review.comment, maxCommentLength) };
    });
}

function renderNewReview(
  { username, rating, comment, createdAt }: Review,
  { listing, texts, card }: { readonly listing: string; readonly texts: Texts; readonly card: ListingCard | null },
): Reply {
  const { text } = texts;
  const author = escapeName(username ?? '', maxNameLength) || text('reviews.anonymous');
  const shownRating = rating === null ? text('reviews.noRating') : renderStars(rating, texts);
  return {
    tone: 'plain',
    title: text('newReview.title', { name: listingName(card, listing) }),
    text: lines(
      text('newReview.heading', { rating: shownRating, author: bold(author) }),
      escapeText(comment, maxCommentLength) || text('reviews.noComment'),
    ),
    ...(card?.url ? { url: card.url } : {}),
    ...(createdAt === null ? {} : { at: createdAt }),
  };
}

export const reviewPreview: Preview = (context) => {
  const comment = context.texts.text('console.previewReview');
  const review = { username: 'Ada', rating: 5, comment, createdAt: context.now };
  return reviewsAnnounced.in(context.style) ? [{ subject: 'review', reply: renderNewReview(review, context) }] : [];
};

export const maxStars = 5;
const fullStar = markup`★`;
const emptyStar = markup`☆`;

/** The number of full stars that a rating is shown with; null if five stars cannot show it. */
export function starsOf(rating: number | null): number | null {
  return rating === null || rating < 0 || rating > maxStars ? null : Math.round(rating);
}

/**
 * A rating as stars, with its number for screen readers: "★★★★☆ 4/5". The document does not describe the range of
 * ratings, so one that five stars cannot show is a number alone.
 */
export function renderStars(rating: number, { number }: Pick<Texts, 'number'>): Markup {
  const full = starsOf(rating);
  if (full === null) return markup`${fullStar} ${number(rating)}`;
  const row = markup`${repeated(fullStar, full)}${repeated(emptyStar, maxStars - full)}`;
  return markup`${row} ${number(rating)}/${number(maxStars)}`;
}
