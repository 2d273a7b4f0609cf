import { createHash } from 'node:crypto';
import { hour, minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { bold, escapeName, escapeText, lines, type Markup, markup, repeated } from '@tallyhook/platform/texts/markup';
import {
  type ListingCard,
  type ListingMessages,
  listingName,
  type Preview,
  postAbout,
} from '../../core/announcements/announcement.ts';
import type { HandlerKind } from '../../core/outbox/handler-events.ts';
import { type Handle, handle } from '../../core/outbox/perform.ts';
import { queueName } from '../../core/outbox/queue.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import type { Lookup, Review } from '../../lookup/lookup.ts';
import type { Texts } from '../../texts/texts.ts';
import { type CommunityListing, linkedLabel } from '../communities/feature.ts';
import { handlerListing } from '../handlers/feature.ts';
import type { AnnouncementTask, FeatureParts, PartsContext } from '../parts.ts';
import { reviewsAnnounced } from './settings.ts';
import { type Review as AnnouncedReview, type ReviewAnnouncement, type ReviewStore, reviewKind } from './store.ts';

const pollEveryMs = 15 * minute;
/** The longest pause while the service fails. */
const maxPauseMs = 2 * hour;
/** Requests of the budget that are left to commands and reminders. */
const reservedRequests = 60;
/** The newest reviews that the service lists. */
const pageSize = 50;

/**
 * Polls the reviews of a listing, in one process at a time, and announces new ones. Without enough requests in the
 * budget, a poll is left out; while the service fails, the pauses get longer.
 * @param onPolled called with the result of each poll
 */
export function createReviewsTask(
  listing: CommunityListing,
  lookup: Lookup,
  context: Pick<ReviewsContext, 'store' | 'isHandled' | 'clock' | 'log'> & {
    readonly lookups: Pick<PartsContext['lookups'], 'keyStatus'>;
  },
  onPolled: (outcome: 'polled' | 'over_budget' | 'failed') => void,
): AnnouncementTask['run'] {
  const { lookups, isHandled, clock, log } = context;
  const { reviews: store } = context.store;
  const { name } = listing;
  const channelId = reviewsAnnounced.in(listing.announcements) ? listing.announceChannelId : null;
  let failures = 0;

  return async () => {
    const handled = isHandled('review') ? handlerListing(listing) : null;
    if (channelId === null && handled === null) return null;
    const now = clock.now();
    const pauseMs = Math.min(maxPauseMs, pollEveryMs * 2 ** failures);
    if (!(await store.isPollDue(name, now)) || !(await store.claimPoll(name, now, now + pauseMs))) return null;
    const budgetLeft = (await lookups.keyStatus(name))?.budgetLeft ?? 0;
    if (budgetLeft <= reservedRequests) {
      onPolled('over_budget');
      return null;
    }
    const result = await lookup.reviews({ sort: 'newest', limit: pageSize }).catch((error: unknown) => {
      log.info({ listing: name, reason: messageOf(error) }, 'the reviews could not be polled');
      return null;
    });
    if (result === null || result.stale) {
      failures += 1;
      onPolled('failed');
      return null;
    }
    failures = 0;
    onPolled('polled');
    const reviews = result.value.reviews.map((review) => ({ ...review, id: idOf(review) }));
    const isPartial = result.value.total > reviews.length || reviews.length >= pageSize;
    const communityId = listing.community.id;
    const listed = { listing: name, communityId, channelId, handled, reviews, isPartial };
    const announced = await store.announce(listed, clock.now());
    if (announced === 0) return null;
    return channelId === null
      ? queueName('handler', communityId, 'review')
      : queueName('channel', communityId, channelId);
  };
}

/**
 * The service sends no id: a review is known by its author and its time, so that an edited one is not new. Without a
 * time, its text is all there is.
 */
function idOf({ username, comment, createdAt }: Review): string {
  const identity = JSON.stringify([username, createdAt ?? comment]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

interface ReviewsContext extends PartsContext {
  readonly store: { readonly reviews: ReviewStore };
  readonly isHandled: (kind: HandlerKind) => boolean;
}

export function create(context: ReviewsContext) {
  const { lookups, metrics } = context;
  const polls = metrics.counter({
    name: 'tallyhook_review_polls_total',
    help: 'Polls for new reviews to announce, by listing and outcome (polled, over_budget, failed).',
    labels: ['listing', 'outcome'],
  });

  function tasksOf(listing: CommunityListing): readonly AnnouncementTask[] {
    const { lookup, isSilent } = lookups.find(listing.name) ?? {};
    // Only servers on the service have reviews, which need its API.
    if (lookup === undefined || isSilent || lookup.kind !== 'server' || listing.site !== undefined) return [];
    const run = createReviewsTask(listing, lookup, context, (outcome) =>
      polls.inc({ listing: listing.linked ? linkedLabel : listing.name, outcome }),
    );
    return [{ name: 'reviews', run }];
  }

  return {
    effects: [handle(reviewKind, createReviewHandler(context))],
    tasks: ({ named }) => named.flatMap(tasksOf),
  } satisfies FeatureParts;
}

const maxNameLength = 80;
const maxCommentLength = 1_500;
/** Characters of the digest in the footer of a review without a time, by which the message is found again. */
const shownIdLength = 8;

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
  { username, rating, comment, createdAt }: AnnouncedReview,
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
