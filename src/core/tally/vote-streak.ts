import type { VoteHistory } from '../rewards/history.ts';
import { type StreakInDays, streakOn } from '../rewards/streak.ts';
import { calendarOf, outageDaysOf } from './community.ts';
import type { ListingContext } from './listing-context.ts';
import type { Tally } from './tally.ts';

/** The streak of a history at a time (ms since the epoch). */
export function streakAfter(tally: Tally, history: VoteHistory, listing: ListingContext, now: number): StreakInDays {
  const calendar = calendarOf(listing.community);
  const forgive = listing.rewards.streak?.forgive ?? 0;
  return streakOn(history, calendar.dayAt(now), { forgive, outageDays: outageDaysOf(tally.outages(), calendar) });
}
