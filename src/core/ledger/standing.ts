import type { LedgerEntry } from '../records/records.ts';

/** The calendar week or month of the community in which a time is, or all time. */
export const leaderboardPeriods = ['week', 'month', 'all'] as const;
/** The calendar week or month of the community, or all time. @category Ledger */
export type LeaderboardPeriod = (typeof leaderboardPeriods)[number];

/** The scores of leaderboards: counted votes, credits, or the days of the current streak. */
export const leaderboardScores = ['votes', 'credits', 'streak'] as const;
/** The score that a leaderboard ranks by. @category Ledger */
export type LeaderboardScore = (typeof leaderboardScores)[number];

/**
 * A leaderboard. Credits of a week or month are what its votes and premium events earned, with all rewards; those of
 * all time are the balance. A streak is the current one, so it does not depend on the period.
 * @category Ledger
 */
export interface Board {
  readonly period: LeaderboardPeriod;
  readonly by: LeaderboardScore;
}

/** A role that a member is to have. @category Ledger */
export interface LastingGrant {
  /** Discord ID. */
  readonly role: string;
  /** When it ends (ms since the epoch); null if it does not end. */
  readonly until: number | null;
}

/** Counted votes, and the credits that they and premium events earned. @category Ledger */
export interface PeriodTotal {
  readonly votes: number;
  readonly credits: number;
}

/** The account of a member as the member sees it. @category Ledger */
export interface Standing {
  readonly userId: string;
  readonly credits: number;
  /** Counted votes on all listings. */
  readonly votes: number;
  /**
   * The place by credits of all time, counted from 1. Equal balances share a rank, and the next rank is skipped. Null
   * without votes and credits, and for members who are on no leaderboard.
   */
  readonly rank: number | null;
  readonly streak: {
    /** Calendar days with a counted vote; 0 if there is no streak. */
    readonly days: number;
    /** The streak ends then if no vote is counted before (ms since the epoch); null if there is no streak. */
    readonly endsAt: number | null;
  };
  readonly week: PeriodTotal;
  readonly month: PeriodTotal;
  /** Time of the latest counted vote, by listing (ms since the epoch). */
  readonly lastVotes: Readonly<Record<string, number>>;
  /** One per role, in the order of the role ids. */
  readonly grants: readonly LastingGrant[];
  /** The newest entries first, at most five. */
  readonly entries: readonly Pick<LedgerEntry, 'cause' | 'credits' | 'at' | 'reason' | 'listing' | 'key'>[];
}

/** A standing without what the member is given. @internal */
export type StandingSummary = Omit<Standing, 'grants'>;

/** A member on a leaderboard. @category Ledger */
export interface RankedMember {
  readonly userId: string;
  /** Votes, credits or days; greater than 0. */
  readonly score: number;
  /** Counted from 1. Equal scores share a rank, and the next rank is skipped (1, 2, 2, 4). */
  readonly rank: number;
}

/** Which page of a leaderboard is read. @category Ledger */
export interface LeaderboardQuery extends Board {
  /** Members per page, at least 1. */
  readonly limit: number;
  /**
   * How many members to skip; `'own'` for the page with the member `userId`, or the first page if they have no score.
   */
  readonly offset: number | 'own';
  /** The member whose own line is requested; null for none. */
  readonly userId: string | null;
}

/** A page of a leaderboard: the same object again while neither the scores nor the request change. @category Ledger */
export interface LeaderboardPage {
  readonly board: Board;
  /** The member whose own line was requested. */
  readonly userId: string | null;
  /** In the order of their ranks; of equals the older Discord account is first. */
  readonly members: readonly RankedMember[];
  /** How many members after the page have the score, and so the rank, of its last member. */
  readonly moreTied: number;
  /** How many members the page skips. */
  readonly offset: number;
  /** How many members have a score. */
  readonly total: number;
  /** The scores of all of them together. */
  readonly sum: number;
  /** The requested member; null if they have no score. */
  readonly own: RankedMember | null;
  /** When the scores were read (ms since the epoch): now in a small community, otherwise some seconds ago. */
  readonly asOf: number;
  /** True if the scores are still the same. */
  readonly isCurrent: boolean;
}

/**
 * Standings of the members of one community. Members who were forgotten are on no leaderboard. `now` is the current
 * time (ms since the epoch). Rejects with the database driver's error if the database cannot be read.
 * @category Ledger
 */
export interface Standings {
  /** A standing without credits and votes if the user has no entries. */
  standing(userId: string, now: number): Promise<Standing>;
  /** The standing that `/credits` shows, without roles. @internal */
  summary(userId: string, now: number): Promise<StandingSummary>;
  /** The time of the latest counted vote by listing (ms since the epoch); less work than the whole standing. */
  lastVotes(userId: string): Promise<Readonly<Record<string, number>>>;
  leaderboard(query: LeaderboardQuery, now: number): Promise<LeaderboardPage>;
}
