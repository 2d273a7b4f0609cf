import { createHash } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import type { HandlerKind } from '../../core/outbox/handler-events.ts';
import { handle } from '../../core/outbox/perform.ts';
import { queueName } from '../../core/outbox/queue.ts';
import type { KeyStatus, Lookup, Review } from '../../lookup/lookup.ts';
import { type CommunityListing, linkedLabel } from '../communities/feature.ts';
import { handlerListing } from '../handlers/feature.ts';
import type { AnnouncementTask, FeatureParts, PartsContext } from '../parts.ts';
import { createReviewHandler } from './message.ts';
import { reviewsAnnounced } from './settings.ts';
import type { ReviewStore } from './store.ts';
import { reviewKind } from './store.ts';

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
 */
export function createReviewsTask(
  listing: CommunityListing,
  options: {
    readonly lookup: Pick<Lookup, 'reviews'>;
    readonly keyStatus: () => Promise<KeyStatus | undefined>;
    readonly store: ReviewStore;
    /** Whether there is a handler for reviews; by default there is none. */
    readonly isHandled?: () => boolean;
    readonly clock: Clock;
    readonly log: Log;
    /** Called with the result of each poll. */
    readonly onPolled: (outcome: 'polled' | 'over_budget' | 'failed') => void;
  },
): AnnouncementTask['run'] {
  const { lookup, keyStatus, store, isHandled = () => false, clock, log, onPolled } = options;
  const { name } = listing;
  const channelId = reviewsAnnounced.in(listing.announcements) ? listing.announceChannelId : null;
  let failures = 0;

  return async () => {
    const handled = isHandled() ? handlerListing(listing) : null;
    if (channelId === null && handled === null) return null;
    const now = clock.now();
    const pauseMs = Math.min(maxPauseMs, pollEveryMs * 2 ** failures);
    if (!(await store.isPollDue(name, now)) || !(await store.claimPoll(name, now, now + pauseMs))) return null;
    const budgetLeft = (await keyStatus())?.budgetLeft ?? 0;
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

export function create(
  context: PartsContext & {
    readonly store: { readonly reviews: ReviewStore };
    readonly isHandled: (kind: HandlerKind) => boolean;
  },
) {
  const { store, lookups, isHandled, metrics } = context;
  const polls = metrics.counter({
    name: 'tallyhook_review_polls_total',
    help: 'Polls for new reviews to announce, by listing and outcome (polled, over_budget, failed).',
    labels: ['listing', 'outcome'],
  });

  function tasksOf(listing: CommunityListing): readonly AnnouncementTask[] {
    const { lookup, isSilent } = lookups.find(listing.name) ?? {};
    // Only servers on the service have reviews, which need its API.
    if (lookup === undefined || isSilent || lookup.kind !== 'server' || listing.site !== undefined) return [];
    const run = createReviewsTask(listing, {
      ...context,
      store: store.reviews,
      lookup,
      isHandled: () => isHandled('review'),
      keyStatus: () => lookups.keyStatus(listing.name),
      onPolled: (outcome) => polls.inc({ listing: listing.linked ? linkedLabel : listing.name, outcome }),
    });
    return [{ name: 'reviews', run }];
  }

  return {
    effects: [handle(reviewKind, createReviewHandler(context))],
    tasks: ({ named }) => named.flatMap(tasksOf),
  } satisfies FeatureParts;
}
