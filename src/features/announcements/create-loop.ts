import type { Clock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/http/metrics/metrics.ts';
import type { Log } from '../../platform/log.ts';
import type { Loop } from '../../platform/loop.ts';
import { memoizeOne } from '../../platform/memoize.ts';
import type { Community, Directory } from '../communities/directory.ts';
import type { CommunityListing } from '../communities/listings.ts';
import { createDigestTask } from '../digests/task.ts';
import type { VotesBetween } from '../digests/votes-between.ts';
import { type LookupClients, linkedLabel } from '../listings/lookup-clients.ts';
import { createLostStreaksTask } from '../lost-streaks/task.ts';
import { createReviewsTask } from '../reviews/task.ts';
import type { Store } from '../store.ts';
import { createAnnouncementLoop } from './loop.ts';

/** The loop with what the settings switch on; nothing by default. */
export function createConfiguredAnnouncementLoop(
  directory: Directory,
  dependencies: {
    readonly store: Pick<Store, 'digests' | 'lostStreaks' | 'reviews' | 'rewards'>;
    readonly votesBetween: VotesBetween;
    readonly lookups: Pick<LookupClients, 'find' | 'keyStatus'>;
    readonly metrics: Pick<Metrics, 'reviewPolls'>;
    readonly clock: Clock;
    readonly log: Log;
    readonly onEnqueued: (queue: string) => void;
    /** Whether there is a handler for reviews, which are polled for it. */
    readonly handlesReviews: () => boolean;
  },
): Loop {
  const { store, votesBetween, lookups, metrics, clock, log, onEnqueued, handlesReviews } = dependencies;
  let keptDigests: string | undefined;

  function reviewTasksOf(listing: CommunityListing) {
    const lookup = lookups.find(listing.name)?.lookup;
    // Only servers have reviews.
    if (lookup === undefined || lookup.kind !== 'server') return [];
    const run = createReviewsTask(listing, {
      ...{ store: store.reviews, clock, lookup, isHandled: handlesReviews, log },
      keyStatus: () => lookups.keyStatus(listing.name),
      onPolled: (outcome) => metrics.reviewPolls.inc({ listing: listing.linked ? linkedLabel : listing.name, outcome }),
    });
    return [{ name: 'reviews', run }];
  }

  /** The same tasks as long as the settings of the community are the same: they remember failures. */
  const tasksOf = memoizeOne(({ named, accounts }: Community) => {
    const announced = named.filter(({ announceChannelId }) => announceChannelId !== null);
    const streaks = announced.filter((listing) => listing.announcements.lostStreaks !== null);
    return [
      ...announced.filter(isDigested).map((listing) => ({
        name: 'digest',
        run: createDigestTask(listing, { store: store.digests, votesBetween, clock }),
      })),
      // The streaks of a community are announced once.
      ...streaks.slice(0, 1).map((listing) => ({
        name: 'lost streaks',
        run: createLostStreaksTask(listing, { store: store.lostStreaks, clock, accounts, beat: store.rewards.beat }),
      })),
      ...named.flatMap(reviewTasksOf),
    ];
  });

  return createAnnouncementLoop({
    tasks: () => directory.communities.flatMap(tasksOf),
    async prepare() {
      const digested = directory.listings.filter(isDigested).map(({ name }) => name);
      if (keptDigests === digested.join()) return;
      await store.digests.keepOf(digested);
      keptDigests = digested.join();
    },
    ...{ clock, log, onEnqueued },
  });
}

function isDigested({ implied, announceChannelId, announcements }: CommunityListing): boolean {
  return !implied && announceChannelId !== null && announcements.mode === 'digest';
}
