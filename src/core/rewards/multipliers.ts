import { day as dayMs } from '@tallyhook/platform/durations';
import { formatDay, weekdayOf } from './calendar.ts';
import { hasDay } from './day-window.ts';
import { daysOf, type VoteHistory, withBonus } from './history.ts';
import type { RewardEntry } from './reward.ts';
import type { Multiplier } from './rules.ts';

/** The moment of a vote, for the conditions of multipliers. */
export interface VoteMoment {
  /** Time of the vote (ms since the epoch). */
  readonly at: number;
  /** Its calendar day in the community's time zone (day number). */
  readonly day: number;
  /** The roles last seen of the voter (Discord IDs). */
  readonly roles: ReadonlySet<string>;
}

/** The product of all multipliers that apply; 1 if none does. */
export function factorAt(multipliers: readonly Multiplier[], moment: VoteMoment): number {
  return multipliers.reduce((product, each) => (applies(each, moment) ? product * each.factor : product), 1);
}

/** The largest product that can apply to one vote: at the best moment of the best weekday, with all roles. */
export function largestFactor(multipliers: readonly Multiplier[]): number {
  const raising = multipliers.filter(({ factor }) => factor > 1);
  const roles = new Set(raising.flatMap(({ role }) => role ?? []));
  const moments = new Set([Number.NEGATIVE_INFINITY, ...raising.flatMap(({ from }) => from ?? [])]);
  // Seven successive days are all weekdays.
  const factors = [...moments].flatMap((at) =>
    [0, 1, 2, 3, 4, 5, 6].map((day) => factorAt(raising, { at, day, roles })),
  );
  return Math.max(...factors);
}

/** When the windows of multipliers begin and end (ms since the epoch). */
export function boundariesOf(multipliers: readonly Multiplier[]): readonly number[] {
  return multipliers.flatMap(({ from, until }) => [from, until].filter((time) => time !== null));
}

function applies({ days, from, until, role }: Multiplier, { at, day, roles }: VoteMoment): boolean {
  return (
    (days === null || days.includes(weekdayOf(day))) &&
    (from === null || at >= from) &&
    (until === null || at < until) &&
    (role === null || roles.has(role))
  );
}

/** Whole credits, rounded down. */
export function multiplyCredits(credits: number, factor: number): number {
  // 100 × 1.15 is 114.99999999999999 in binary; the owner expects 115.
  return Math.floor(credits * factor * (1 + 1e-12));
}

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
