import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Correction } from '../../core/ledger/correction.ts';
import type { Audience } from '../../core/outbox/audience.ts';
import type { Recordings } from '../../core/tally/recorder.ts';
import { type Community, type Directory, distinctCommunities } from '../communities/feature.ts';
import { endpointsOf } from './sender.ts';
import type { EventStore } from './store.ts';

/** The pause between two rounds (ms), which also find what another process has stored by older settings. */
const intervalMs = minute;

/** Who hears the events of a community now. */
export function audienceOf(community: Community, isStreamed: boolean): Audience {
  const { id: communityId, guildId } = community;
  const endpoints = endpointsOf(community).map(({ id, events }) => ({ id, events }));
  return { communityId, guildId, endpoints, isStreamed };
}

/** Stores who hears the events of each community, for transactions that know no more than its id. */
export function createAudienceLoop(options: {
  readonly store: { readonly events: Pick<EventStore, 'audiences' | 'setAudience'> };
  readonly directory: Pick<Directory, 'communities' | 'onChange'>;
  readonly isStreamed: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}): Loop {
  const { store, directory, isStreamed, clock, log } = options;
  const loop = createLoop({
    async round() {
      const stored = new Map((await store.events.audiences()).map((audience) => [audience.communityId, audience]));
      for (const community of distinctCommunities(directory)) {
        const audience = audienceOf(community, isStreamed());
        const isHeard = audience.isStreamed || audience.endpoints.length > 0 || stored.has(community.id);
        if (isHeard && !isDeepStrictEqual(stored.get(community.id), audience)) await store.events.setAudience(audience);
      }
    },
    pauseMs: () => intervalMs,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'the receivers of events could not be stored'),
    clock,
  });
  directory.onChange(loop.wake);
  return loop;
}

/** A store whose corrections are heard of. @param audienceIn that of a community; undefined if it is not configured */
export function withAudiences<Stored extends { readonly recorder: Pick<Recordings, 'correct' | 'transfer'> }>(
  store: Stored,
  audienceIn: (communityId: CommunityId) => Audience | undefined,
): Stored {
  const { recorder } = store;
  const heard = (correction: Correction): Correction => {
    const audience = audienceIn(correction.communityId);
    return audience === undefined ? correction : { ...correction, audience };
  };
  return {
    ...store,
    recorder: {
      ...recorder,
      correct: (correction, key) => recorder.correct(heard(correction), key),
      transfer: (taken, given, key) => recorder.transfer(heard(taken), heard(given), key),
    } satisfies typeof recorder,
  };
}
