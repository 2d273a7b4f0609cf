import type { FeatureParts, PartsContext } from '../parts.ts';
import { createLostStreaksHandler } from './message.ts';
import type { LostStreakStore } from './store.ts';
import { createLostStreaksTask } from './task.ts';

export function create(
  context: PartsContext & {
    readonly store: { readonly lostStreaks: LostStreakStore; readonly upkeep: { beat(now: number): Promise<void> } };
  },
) {
  const { store, clock } = context;
  return {
    effects: { lostStreaks: createLostStreaksHandler(context) },
    tasks({ named, accounts }) {
      const isAnnounced = (listing: (typeof named)[number]) =>
        listing.announceChannelId !== null && listing.announcements.lostStreaks !== null;
      // The streaks of a community are announced once.
      return named
        .filter(isAnnounced)
        .slice(0, 1)
        .map((listing) => ({
          name: 'lost streaks',
          run: createLostStreaksTask(listing, { store: store.lostStreaks, clock, accounts, beat: store.upkeep.beat }),
        }));
    },
  } satisfies FeatureParts;
}
