import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import { calendarOf } from '../../core/tally/community.ts';
import { type Community, type Directory, distinctCommunities } from '../communities/feature.ts';
import type { LostStreakStore } from '../lost-streaks/feature.ts';
import { audienceOf } from './audiences.ts';
import type { EventStore } from './store.ts';

const intervalMs = 10 * minute;
/** A vote of the last minutes of a day can be delivered after it (ms). */
const settleMs = 3 * minute;
/** After a longer downtime, nobody is told of the streaks that ended before (days). */
const maxDays = 2;
/** Nobody misses a shorter one (days). */
const minStreakDays = 2;

/** Tells of the streaks that have ended, after each day of a community, and deletes what is not kept longer. */
export function createEventUpkeep(options: {
  readonly store: {
    readonly events: EventStore;
    readonly lostStreaks: Pick<LostStreakStore, 'find'>;
    readonly upkeep: { beat(now: number): Promise<void> };
  };
  readonly directory: Pick<Directory, 'communities'>;
  readonly isStreamed: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}): Loop {
  const { store, directory, isStreamed, clock, log } = options;

  async function tellOfStreaks(community: Community): Promise<void> {
    const { endpoints, isStreamed: isRead } = audienceOf(community, isStreamed());
    const isHeard = isRead || endpoints.some(({ events }) => events?.includes('streak.ended') ?? true);
    const [listing] = community.listings;
    if (!isHeard || listing === undefined) return;
    const { id: communityId, timeZone } = community;
    const now = clock.now();
    const until = calendarOf(community).dayAt(now - settleMs);
    const checkedUntil = await store.events.streaksCheckedUntil(communityId);
    if (checkedUntil === until) return;
    // Without an earlier check, or after one by a clock that was ahead, the next day is the first.
    const from = checkedUntil === null || checkedUntil > until ? until : Math.max(checkedUntil, until - maxDays);
    // Notes an outage before that, which forgives missed days.
    await store.upkeep.beat(now);
    const forgive = listing.rewards.streak?.forgive ?? 0;
    const query = { communityId, from, until, minDays: minStreakDays, forgive, timeZone };
    const streaks = from < until ? await store.lostStreaks.find(query) : [];
    await store.events.streaksEnded(communityId, { checkedUntil, until, streaks }, now);
  }

  return createLoop({
    async round() {
      for (const community of distinctCommunities(directory)) await tellOfStreaks(community);
      return store.events.prune(clock.now());
    },
    pauseMs: intervalMs,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'the upkeep of events failed; it is repeated'),
    clock,
  });
}
