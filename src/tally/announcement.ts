import type { Event, Family } from '../ledger/event.ts';
import type { Announcement } from '../outbox/effect.ts';
import type { ListingContext } from './tally.ts';

/** Where events of a family are announced; null for nowhere. */
export function channelFor(family: Family, listing: ListingContext): string | null {
  return family === 'vote' ? listing.announceChannelId : listing.premiumChannelId;
}

/** What is said of an event that was recorded. One that tells no time happened at `receivedAt` (ms since the epoch). */
export function announcementOf(
  event: Event,
  listing: ListingContext,
  booked: { credits: number; balance: number | null; reason: string | null; receivedAt: number },
): Announcement {
  const at = event.at ?? booked.receivedAt;
  return {
    event: event.kind,
    test: false,
    listing: listing.name,
    userId: event.userId,
    credits: booked.credits,
    balance: booked.balance,
    reason: booked.reason,
    at,
    nextVoteAt: event.family === 'vote' ? at + listing.rules.cooldownMs : null,
    tier: event.family === 'premium' ? event.tier : null,
    giftedBy: event.family === 'premium' ? event.giftedBy : null,
  };
}
