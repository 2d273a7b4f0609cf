import { type CommunityId, noCommunity } from '../../core/ledger/account.ts';
import type { Recordings } from '../../core/tally/recorder.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import type { Awards } from './awards.ts';

interface WithRecorder {
  readonly store: { readonly recorder: Pick<Recordings, 'correct'> };
}

export function createAwards(
  { store, clock, log }: Pick<ServicesContext, 'clock' | 'log'> & WithRecorder,
  communityId: CommunityId,
): Awards {
  return {
    async award({ userId, credits, reason, author, interactionId }) {
      // The owner API accepts no keys with a space, so it cannot use the same one.
      const result = await store.recorder.correct(
        { userId, communityId, credits, reason, at: clock.now(), author },
        `award ${interactionId}`,
      );
      switch (result.outcome) {
        case 'corrected': {
          const { balance, repeated } = result;
          log.info({ user: userId, credits, balance, author, repeated }, 'a manager corrected an account');
          return { outcome: 'awarded', balance };
        }
        case 'overdrawn':
          return result;
        case 'refunded':
        case 'key_reused':
          throw new Error(`The interaction ${interactionId} was used for another correction.`);
      }
    },
  };
}

export function createServices(context: ServicesContext & WithRecorder) {
  return {
    commandsIn: ({ communities: [community], isManaged }) => ({
      awards: isManaged ? createAwards(context, community?.id ?? noCommunity) : null,
    }),
  } satisfies FeatureServices;
}
