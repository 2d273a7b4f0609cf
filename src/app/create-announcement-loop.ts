import type { Config, ListingConfig } from '../../config/schema.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { homeAccounts } from '../ledger/account-id.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Store } from '../store/store.ts';
import { type AnnouncementLoop, createAnnouncementLoop } from './announcement-loop.ts';
import { createDigestTask } from './digest-task.ts';
import type { LookupClients } from './lookup-clients.ts';
import { createLostStreaksTask } from './lost-streaks-task.ts';
import { createReviewsTask } from './reviews-task.ts';

/** The loop with what the settings switch on; nothing by default. */
export function createConfiguredAnnouncementLoop(
  { listings }: Pick<Config, 'listings'>,
  dependencies: {
    readonly store: Pick<Store, 'announcements' | 'rewards'>;
    readonly lookups: Pick<LookupClients, 'listings' | 'keyStatuses'>;
    readonly metrics: Pick<Metrics, 'reviewPolls'>;
    readonly clock: Clock;
    readonly log: Log;
    readonly onEnqueued: (queue: string) => void;
  },
): AnnouncementLoop {
  const { store, lookups, metrics, clock, log, onEnqueued } = dependencies;
  const { announcements, rewards } = store;
  const announced = listings.filter(({ implied, announceChannelId }) => !implied && announceChannelId !== null);
  const digested = announced.filter((listing) => listing.announcements.mode === 'digest');
  const common = { store: announcements, clock };

  const reviewTasks = announced.flatMap((listing) => {
    const lookup = lookups.listings.find(({ name }) => name === listing.name)?.lookup;
    // Only servers have reviews.
    if (!listing.announcements.reviews || lookup === undefined || lookup.kind !== 'server') return [];
    const run = createReviewsTask(listing, {
      ...{ ...common, lookup, log },
      keyStatus: async () => (await lookups.keyStatuses()).get(listing.name),
      onPolled: (outcome) => metrics.reviewPolls.inc({ listing: listing.name, outcome }),
    });
    return [{ name: 'reviews', run }];
  });

  return createAnnouncementLoop({
    tasks: [
      ...digested.map((listing) => ({ name: 'digest', run: createDigestTask(listing, common) })),
      ...withLostStreaks(announced).map((listing) => ({
        name: 'lost streaks',
        run: createLostStreaksTask(listing, { ...common, accounts: homeAccounts, beat: rewards.beat }),
      })),
      ...reviewTasks,
    ],
    prepare: () => announcements.keepDigestsOf(digested.map(({ name }) => name)),
    ...{ clock, log, onEnqueued },
  });
}

/** The first such listing of each community. */
function withLostStreaks(listings: readonly ListingConfig[]): readonly ListingConfig[] {
  const all = listings.filter(({ announcements }) => announcements.lostStreaks !== null);
  return all.filter(({ guildId }, index) => all.findIndex((each) => each.guildId === guildId) === index);
}
