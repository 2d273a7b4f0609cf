import { day as dayMs } from '@tallyhook/platform/durations';
import { formatDay } from './calendar.ts';
import { hasDay } from './day-window.ts';
import { daysOf, type VoteHistory, withBonus } from './history.ts';
import type { RewardEntry } from './reward.ts';

const prefix = 'allListings ';

/**
 * The bonus for a counted vote on every listing within one calendar day, once per day, whichever vote comes last. There
 * is none in a community with one listing, where it would only be a second reward for the same vote.
 *
 * @param history with the vote
 * @param listings names of all listings of the community
 * @param sameTarget names that are one listing: a vote for one of them is enough
 */
export function allListingsBonus(
  history: VoteHistory,
  credits: number,
  day: number,
  listings: readonly string[],
  sameTarget: readonly (readonly string[])[] = [],
): { readonly entries: readonly RewardEntry[]; readonly history: VoteHistory } {
  const none = { entries: [], history };
  if (listings.length < 2 || history.start === null) return none;
  const offset = day - history.start;
  if (hasDay(history.bonusDays, offset)) return none;
  const hasVoted = (listing: string) => hasDay(daysOf(history, listing), offset);
  const namesOf = (listing: string) => sameTarget.find((names) => names.includes(listing)) ?? [listing];
  if (!listings.every((listing) => namesOf(listing).some(hasVoted))) return none;
  const date = formatDay(day);
  const entry: RewardEntry = { cause: 'allListings', credits, reason: date, achievement: `${prefix}${date}` };
  return { entries: [entry], history: withBonus(history, offset) };
}

/** The days of the bonuses among the achievements (day numbers). */
export function bonusDaysIn(achievements: readonly string[]): number[] {
  return achievements
    .filter((achievement) => achievement.startsWith(prefix))
    .map((achievement) => Date.parse(achievement.slice(prefix.length)) / dayMs);
}
