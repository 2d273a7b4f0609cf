import type { HandlerKind } from '../../core/outbox/handler-events.ts';
import type { CommunityListing } from '../communities/feature.ts';
import { linkedLabel } from '../communities/feature.ts';
import type { AnnouncementTask, FeatureParts, PartsContext } from '../parts.ts';
import { createReviewHandler } from './message.ts';
import type { ReviewStore } from './store.ts';
import { createReviewsTask } from './task.ts';

export function create(
  context: PartsContext & {
    readonly store: { readonly reviews: ReviewStore };
    readonly isHandled: (kind: HandlerKind) => boolean;
  },
) {
  const { store, lookups, isHandled, metrics, clock, log } = context;
  const polls = metrics.counter({
    name: 'tallyhook_review_polls_total',
    help: 'Polls for new reviews to announce, by listing and outcome (polled, over_budget, failed).',
    labels: ['listing', 'outcome'],
  });

  function tasksOf(listing: CommunityListing): readonly AnnouncementTask[] {
    const lookup = lookups.find(listing.name)?.lookup;
    // Only servers on the service have reviews.
    if (lookup === undefined || lookup.kind !== 'server' || listing.site !== undefined) return [];
    const run = createReviewsTask(listing, {
      store: store.reviews,
      clock,
      lookup,
      log,
      isHandled: () => isHandled('review'),
      keyStatus: () => lookups.keyStatus(listing.name),
      onPolled: (outcome) => polls.inc({ listing: listing.linked ? linkedLabel : listing.name, outcome }),
    });
    return [{ name: 'reviews', run }];
  }

  return {
    effects: { review: createReviewHandler(context) },
    tasks: ({ named }) => named.flatMap(tasksOf),
  } satisfies FeatureParts;
}
