import type { AccountScope } from '../ledger/account-id.ts';
import type { LostStreak, Review } from '../outbox/effect-contents.ts';
import type { HandlerListing } from '../outbox/handler-events.ts';

/** The votes of a listing that were received in a period. */
export interface DigestSummary {
  /** Counted votes, and distinct voters. */
  readonly votes: number;
  readonly voters: number;
  /** All that the votes earned (credits). */
  readonly credits: number;
  /** The voters with the most votes, at most 5. */
  readonly top: readonly { readonly userId: string; readonly votes: number }[];
  /** Who reached how many votes, at most 5, and how many others there are. */
  readonly milestones: readonly { readonly userId: string; readonly votes: number }[];
  readonly moreMilestones: number;
}

/** The part of a period that was not announced before. Times are ms since the epoch. */
export interface PlannedDigest {
  readonly listing: string;
  readonly channelId: string;
  /** Until when votes were announced, as it was read; null before the first digest. */
  readonly announcedUntil: number | null;
  readonly from: number;
  readonly until: number;
  /** Whether there are votes in it; otherwise nothing is enqueued. */
  readonly hasVotes: boolean;
}

/** Streaks that ended. */
export interface PlannedLostStreaks {
  /** Names the community. */
  readonly key: string;
  readonly listing: string;
  readonly channelId: string;
  /** The first day (day number) that was not checked before, as it was read; null before the first check. */
  readonly checkedUntil: number | null;
  /** Today, which is checked tomorrow (day number). */
  readonly until: number;
  /** Those with the most days. */
  readonly streaks: readonly LostStreak[];
  /** How many others ended. */
  readonly more: number;
}

/** Reviews as the service listed them. */
export interface ListedReviews {
  readonly listing: string;
  /** Where they are announced; null for nowhere. */
  readonly channelId: string | null;
  /** The listing as the handler for reviews gets it; null, the default, without one. */
  readonly handled?: HandlerListing | null;
  /** Newest first, each with what identifies it. */
  readonly reviews: readonly (Review & { readonly id: string })[];
  /** Whether there may be older ones. */
  readonly isPartial: boolean;
}

/** The rules of streaks in force, and the days to check (day numbers, the last one exclusive). */
export interface LostStreakQuery {
  /** Whose streaks: the accounts of a community. */
  readonly accounts: AccountScope;
  readonly from: number;
  readonly until: number;
  readonly minDays: number;
  readonly forgive: number;
  readonly timeZone: string;
}

/**
 * What is announced apart from the recording of an event, so that no vote pays for it. Every method that enqueues is one
 * transaction, in which a row that only it changes says what was announced before: so nothing is announced twice, in
 * whatever process. Each returns the queue of the new effect, or null.
 *
 * Methods that write reject with {@link StoreUnavailableError} or TallyhookError `queue_full`, methods that only read
 * with the driver's own error.
 */
export interface AnnouncementStore {
  /** Until when the votes of a listing were announced by digests (ms since the epoch); null if none were. */
  announcedUntil(listing: string): Promise<number | null>;
  /** Scans the newest entries. Times are ms since the epoch; `until` is exclusive. */
  votesBetween(listing: string, from: number, until: number): Promise<DigestSummary>;
  planDigest(digest: PlannedDigest, now: number): Promise<string | null>;
  /** Forgets what was announced by digests of other listings, so that they start afresh when they are switched on. */
  keepDigestsOf(listings: readonly string[]): Promise<void>;
  /** The first day whose lost streaks were not announced (day number); null before the first check. */
  streaksCheckedUntil(key: string): Promise<number | null>;
  /** The streaks that ended on these days, longest first. Scans the accounts. */
  lostStreaks(query: LostStreakQuery): Promise<readonly LostStreak[]>;
  planLostStreaks(lost: PlannedLostStreaks, now: number): Promise<string | null>;
  /**
   * Claims the next poll of a listing's reviews, unless another process did within the interval.
   * @param nextAt when to poll again (ms since the epoch)
   */
  claimReviewPoll(listing: string, now: number, nextAt: number): Promise<boolean>;
  /**
   * Stores the reviews, and enqueues an announcement and a call of the handler for each new one; none for the first
   * reviews of a listing. Returns how many are new.
   */
  announceReviews(listed: ListedReviews, now: number): Promise<number>;
}
