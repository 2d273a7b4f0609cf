import { second } from '../../platform/durations.ts';
import { settleWithin } from '../../platform/with-timeout.ts';
import type { CommunityListing } from '../communities/feature.ts';
import type { FeatureParts, PartsContext } from '../parts.ts';
import { createDigestHandler } from './message.ts';
import type { DigestStore } from './store.ts';
import { createDigestTask } from './task.ts';
import { createVotesBetween } from './votes-between.ts';

/** An attempt to post is limited in time (ms). */
const maxDrawingMs = 3 * second;

export function create(context: PartsContext & { readonly store: { readonly digests: DigestStore } }) {
  const { store, directory, drawVotePicture, clock } = context;
  const votesBetween = createVotesBetween(store.digests, clock);
  let keptDigests: string | undefined;
  return {
    effects: {
      digest: createDigestHandler(context, {
        votesBetween,
        async drawPicture(listing, texts) {
          const drawing = drawVotePicture({ listings: [listing], texts, scale: 2, now: clock.now() });
          return (await settleWithin(maxDrawingMs, clock, drawing)) ?? null;
        },
      }),
    },
    tasks: ({ named }) =>
      named.filter(isDigested).map((listing) => ({
        name: 'digest',
        run: createDigestTask(listing, { store: store.digests, votesBetween, clock }),
      })),
    async prepareTasks() {
      const digested = directory.listings.filter(isDigested).map(({ name }) => name);
      if (keptDigests === digested.join()) return;
      await store.digests.keepOf(digested);
      keptDigests = digested.join();
    },
  } satisfies FeatureParts;
}

function isDigested({ implied, announceChannelId, announcements }: CommunityListing): boolean {
  return !implied && announceChannelId !== null && announcements.mode === 'digest';
}
