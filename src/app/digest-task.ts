import type { ListingConfig } from '../../config/schema.ts';
import type { AnnouncementStore } from '../core/tally/announcement-store.ts';
import { calendarOf } from '../core/tally/community.ts';
import { nextPeriod } from '../core/tally/digest-period.ts';
import type { Clock } from '../platform/clock.ts';
import type { AnnouncementTask } from './announcement-loop.ts';

/** Plans the digest of a listing when its period has ended. */
export function createDigestTask(
  { name: listing, announceChannelId: channelId, timeZone, announcements }: ListingConfig,
  { store, clock }: { readonly store: AnnouncementStore; readonly clock: Clock },
): AnnouncementTask {
  const calendar = calendarOf({ timeZone });
  return async () => {
    if (channelId === null) return null;
    const now = clock.now();
    const announcedUntil = await store.announcedUntil(listing);
    const period = nextPeriod(announcedUntil, { calendar, everyMs: announcements.everyMs, now });
    if (period === null) return null;
    const { from, until } = period;
    const hasVotes = from < until && (await store.votesBetween(listing, from, until)).votes > 0;
    return store.planDigest({ listing, channelId, announcedUntil, from, until, hasVotes }, now);
  };
}
