import type { ListingConfig } from '../../../config/schema.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { Clock } from '../../platform/clock.ts';
import type { AnnouncementTask } from '../parts.ts';
import { nextPeriod } from './period.ts';
import type { DigestStore } from './store.ts';
import type { VotesBetween } from './votes-between.ts';

/** Plans the digest of a listing when its period has ended. */
export function createDigestTask(
  { name: listing, announceChannelId: channelId, timeZone, announcements }: ListingConfig,
  options: {
    readonly store: Pick<DigestStore, 'announcedUntil' | 'plan'>;
    readonly votesBetween: VotesBetween;
    readonly clock: Clock;
  },
): AnnouncementTask['run'] {
  const { store, votesBetween, clock } = options;
  const calendar = calendarOf({ timeZone });
  return async () => {
    if (channelId === null) return null;
    const now = clock.now();
    const announcedUntil = await store.announcedUntil(listing);
    const period = nextPeriod(announcedUntil, { calendar, everyMs: announcements.everyMs, now });
    if (period === null) return null;
    const { from, until } = period;
    const hasVotes = from < until && (await votesBetween(listing, from, until)).votes > 0;
    return store.plan({ listing, channelId, announcedUntil, from, until, hasVotes }, now);
  };
}
