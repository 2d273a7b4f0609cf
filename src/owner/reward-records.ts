import type { SettingsInEffect } from '../core/settings/setting-spec.ts';
import type { DayVotes } from '../core/store/standings/votes-per-day.ts';
import type { ConsoleCard } from '../features/parts.ts';
import type { CommunityScope } from './communities.ts';

/** The settings of a listing, of which the rewards are shown. */
export interface ListingRules extends SettingsInEffect {
  readonly name: string;
}

/** What the owner sees of the rewards. Rejects with the driver's error if the database cannot be read. */
export interface RewardRecords {
  /** Of each configured listing. */
  rules(): readonly ListingRules[];
  /** Of the features. */
  readonly cards: readonly ConsoleCard[];
  /** By the calendar of the community; of all listings by that of the first one. @param scope null for all listings */
  votesPerDay(scope: CommunityScope | null): Promise<readonly DayVotes[]>;
  /** How many purchases wait for the owner. @param scope null for all */
  waitingOrders(scope: CommunityScope | null): Promise<number>;
}
