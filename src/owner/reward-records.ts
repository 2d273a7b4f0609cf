import type { DayVotes } from '../core/ledger/votes-per-day.ts';
import type { ListingRewards } from '../core/rewards/rules.ts';
import type { ConsoleCard } from '../features/parts.ts';

/** The rewards of a listing, as configured. */
export interface ListingRules {
  readonly name: string;
  readonly timeZone: string;
  readonly rewards: ListingRewards;
}

/** What the owner sees of the rewards. Rejects with the driver's error if the database cannot be read. */
export interface RewardRecords {
  /** Of each configured listing. */
  rules(): readonly ListingRules[];
  /** Of the features. */
  readonly cards: readonly ConsoleCard[];
  /** On all listings, by the calendar of the community. */
  votesPerDay(): Promise<readonly DayVotes[]>;
}
