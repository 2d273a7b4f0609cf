import type { Event, Family } from '../../webhook/event.ts';
import type { Announcement, Bonus, GivenRole } from '../outbox/effect-contents.ts';
import { creditsOf, type RewardEntry } from '../rewards/reward.ts';
import type { ListingContext } from './listing-context.ts';
import type { TestEvent } from './tally.ts';

/** Whether a recorded event with these entries is announced. */
export function isAnnounced(
  family: Family,
  entries: readonly Pick<RewardEntry, 'cause'>[],
  { announced }: ListingContext,
): boolean {
  if (family === 'premium') return announced.premium;
  return announced.votes || (announced.milestones && entries.some(({ cause }) => cause === 'milestone'));
}

/** What the recording of an event changed. */
export interface RecordedEvent {
  /** The entry of the event itself first; none for an event that never pays. */
  readonly entries: readonly RewardEntry[];
  /** The balance after it (credits); null without a user. */
  readonly balance: number | null;
  /** The streak after it (days); null unless a vote was counted. */
  readonly streak: number | null;
  readonly roles: readonly GivenRole[];
  /** Time of receipt (ms since the epoch): the time of an event without a timestamp. */
  readonly receivedAt: number;
}

/** The announcement of a recorded event. */
export function announcementOf(
  event: Event,
  listing: Pick<ListingContext, 'name' | 'rewards'>,
  recorded: RecordedEvent,
): Announcement {
  const { entries, balance, streak, roles, receivedAt } = recorded;
  const at = event.at ?? receivedAt;
  const [own, ...others] = entries;
  // A payload may give a reason for a vote that it pays; of any other paid vote, the reason is the multiplication.
  const isMultiplied = own?.cause === 'vote' && event.family === 'vote' && event.denial === null;
  const reason = own?.reason ?? null;
  return {
    event: event.kind,
    test: false,
    listing: listing.name,
    userId: event.userId,
    credits: creditsOf(entries),
    balance,
    reason: isMultiplied ? null : reason,
    at,
    nextVoteAt: event.family === 'vote' ? (event.atSite?.nextVoteAt ?? at + listing.rewards.base.cooldownMs) : null,
    tier: event.family === 'premium' ? event.tier : null,
    giftedBy: event.family === 'premium' ? event.giftedBy : null,
    streak,
    calculation: isMultiplied ? reason : null,
    bonuses: others.map(({ cause, credits, count = 0 }): Bonus => ({ cause, credits, count })),
    roles,
  };
}

/** The announcement of a test that arrived `at` (ms since the epoch). */
export function testAnnouncementOf(test: TestEvent, listing: Pick<ListingContext, 'name'>, at: number): Announcement {
  const unpaid = { credits: 0, balance: null, reason: null, calculation: null, bonuses: [], roles: [] };
  const unknown = { nextVoteAt: null, tier: null, giftedBy: null, streak: null };
  return { event: test.kind, test: true, listing: listing.name, userId: test.userId, at, ...unpaid, ...unknown };
}
