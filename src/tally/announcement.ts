import type { Event, Family } from '../ledger/event.ts';
import type { Announcement } from '../outbox/effect-contents.ts';
import type { ListingContext, TestEvent } from './tally.ts';

/** The channel for announcements of a family; null for none. */
export function channelFor(family: Family, listing: ListingContext): string | null {
  return family === 'vote' ? listing.announceChannelId : listing.premiumChannelId;
}

/** The announcement of a recorded event. An event without a timestamp is dated `receivedAt` (ms since the epoch). */
export function announcementOf(
  event: Event,
  listing: ListingContext,
  recorded: { credits: number; balance: number | null; reason: string | null; receivedAt: number },
): Announcement {
  const at = event.at ?? recorded.receivedAt;
  return {
    event: event.kind,
    test: false,
    listing: listing.name,
    userId: event.userId,
    credits: recorded.credits,
    balance: recorded.balance,
    reason: recorded.reason,
    at,
    nextVoteAt: event.family === 'vote' ? at + listing.rewards.base.cooldownMs : null,
    tier: event.family === 'premium' ? event.tier : null,
    giftedBy: event.family === 'premium' ? event.giftedBy : null,
  };
}

/** The announcement of a test that arrived `at` (ms since the epoch). */
export function testAnnouncementOf(test: TestEvent, listing: ListingContext, at: number): Announcement {
  return {
    event: test.kind,
    test: true,
    listing: listing.name,
    userId: test.userId,
    credits: 0,
    balance: null,
    reason: null,
    at,
    nextVoteAt: null,
    tier: null,
    giftedBy: null,
  };
}
