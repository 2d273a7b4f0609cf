import type { DayVotes } from '../core/ledger/votes-per-day.ts';
import type { ListingRewards } from '../core/rewards/rules.ts';
import type { PartyStatus } from '../features/party/current-party.ts';
import type { ReminderSummary } from '../features/reminders/summary.ts';
import type { GrantSummary } from '../features/roles/summary.ts';
import type { PurchaseSummary } from '../features/shop/purchase.ts';

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
  /** Null without a party. */
  party(): Promise<PartyStatus | null>;
  grants(): Promise<GrantSummary>;
  purchases(): Promise<PurchaseSummary>;
  reminders(): Promise<ReminderSummary>;
  /** On all listings, by the calendar of the community. */
  votesPerDay(): Promise<readonly DayVotes[]>;
}
