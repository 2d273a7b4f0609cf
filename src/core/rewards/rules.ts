import type { Luck } from './luck.ts';
import type { RewardRules } from './reward.ts';

/** A calendar period of a community. */
export type Period = 'week' | 'month';

/** Days of the week as in ISO 8601: Monday is 1, Sunday is 7. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/**
 * The rewards of a listing, validated. Credits are whole; roles are Discord IDs. Features add theirs: see {@link
 * AddedValue}.
 */
export interface ListingRewards {
  /** Credits per vote and premium event, and the cooldown. */
  readonly base: RewardRules;
  /** All that apply at the time of a vote are multiplied. */
  readonly multipliers: readonly Multiplier[];
  readonly streak: StreakRules | null;
  readonly milestones: readonly Milestone[];
  /** True if a member keeps the roles of all reached milestones, or only of the highest. */
  readonly milestoneRoles: 'all' | 'highest';
  readonly voterRole: VoterRole | null;
  /** Roles by premium tier; `*` is for tiers that are not named. */
  readonly premiumRoles: Readonly<Record<string, string>>;
  /** Credits for a counted vote on every listing of the community within one calendar day; 0 for none. */
  readonly allListings: number;
  /** Credits for a member's first counted vote of a calendar day, on any listing of the community; 0 for none. */
  readonly firstVote: number;
  readonly luck: readonly Luck[];
  /** True if the credits of a vote are multiplied by its weight at another listing site. */
  readonly weight?: true;
}

/** Multiplies the credits of a vote if all of its conditions hold. A condition that is null always holds. */
export interface Multiplier {
  /** Positive; may have decimals. */
  readonly factor: number;
  /** In the community's time zone. */
  readonly days: readonly Weekday[] | null;
  /** Start of the window, inclusive (ms since the epoch). */
  readonly from: number | null;
  /** End of the window, exclusive (ms since the epoch). */
  readonly until: number | null;
  /** The voter has this role. */
  readonly role: string | null;
}

/**
 * Credits for each `every` successive counted days with at most `forgive` missed ones in any seven. After a missed day
 * too many, the days since the one before it still count here, unlike in the streak that members see: otherwise a late
 * vote could undo what is already paid.
 */
export interface StreakRules {
  /** At least 1 (counted days). */
  readonly every: number;
  readonly credits: number;
  /** Missed days in any seven that do not break a streak, 0 to 6. */
  readonly forgive: number;
}

/**
 * A reward for a number of counted votes: once when it is reached, at each multiple of it, or in each calendar week or
 * month in which it is reached.
 * @category Commands
 */
export interface Milestone {
  /** At least 1 (counted votes). */
  readonly votes: number;
  readonly repeats: 'once' | 'every' | 'week' | 'month';
  readonly credits: number;
  /** Granted when `votes` is first reached; null for none, and always for one of a week or month. */
  readonly role: string | null;
}

/** A role that each counted vote extends. */
export interface VoterRole {
  readonly role: string;
  /** How long a voter has the role after a vote (ms). */
  readonly forMs: number;
}

/** Credits per vote and premium event, and no other rewards. */
export function plainRewards(base: RewardRules): ListingRewards {
  return {
    base,
    multipliers: [],
    streak: null,
    milestones: [],
    milestoneRoles: 'all',
    voterRole: null,
    premiumRoles: {},
    allListings: 0,
    firstVote: 0,
    luck: [],
  };
}
