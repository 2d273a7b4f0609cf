/** The counted votes of a calendar day of a community (days since 1970-01-01). */
export interface DayVotes {
  readonly day: number;
  readonly votes: number;
}

/** How many days {@link VotesPerDay} returns, today included. */
export const voteDays = 30;

/** How many votes of listings were counted: since the month began, by the calendar of their community, and in all. */
export interface RecordedVotes {
  readonly month: number;
  readonly total: number;
}

/** The counted votes of listings, at most as old as {@link VotesPerDay}. Rejects with the database driver's error. */
export type CountRecordedVotes = (listings: readonly string[], now: number) => Promise<RecordedVotes>;

/**
 * The counted votes of the last 30 calendar days by the time of the vote, oldest day first, also days without votes.
 * At most a few seconds old; in a very large community, some minutes. Rejects with the database driver's error.
 *
 * @param listings the names of the listings whose votes are added up; null for all
 * @param now ms since the epoch
 */
export type VotesPerDay = (listings: readonly string[] | null, now: number) => Promise<readonly DayVotes[]>;
