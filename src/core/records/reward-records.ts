import type { DayVotes } from '../ledger/votes-per-day.ts';
import type { GrantState } from '../rewards/grant.ts';
import type { ListingRewards } from '../rewards/rules.ts';
import type { StoredPurchase } from '../rewards/stored-purchase.ts';

/** The rewards of a listing, as configured. */
export interface ListingRules {
  readonly name: string;
  readonly timeZone: string;
  readonly rewards: ListingRewards;
}

/** The party of the current period. */
export interface PartyStatus {
  readonly period: string;
  readonly votes: number;
  readonly goal: number;
  /** For each voter. */
  readonly credits: number;
}

/** A role that Discord does not match. */
export interface ParkedGrant {
  readonly userId: string;
  readonly role: string;
  readonly source: string;
  /** Why Discord rejected it; null if that is not known any more. */
  readonly reason: string | null;
}

/** The roles that members are to have. */
export interface GrantSummary {
  readonly counts: Readonly<Record<GrantState, number>>;
  /** At most 50. */
  readonly parked: readonly ParkedGrant[];
}

/** A purchase as the owner sees it: never with the code, which is secret to everyone but the buyer. */
export type PurchaseRecord = Pick<StoredPurchase, 'id' | 'userId' | 'name' | 'price' | 'state' | 'role' | 'at'>;

export interface PurchaseSummary {
  /** At most 10, newest first. */
  readonly newest: readonly PurchaseRecord[];
  /** How many the owner has neither fulfilled nor refunded yet. */
  readonly waiting: number;
}

export interface ReminderSummary {
  /** Members with a scheduled reminder. Those who have not voted since their last reminder are not among them. */
  readonly scheduled: number;
  /** Reminders that are due within an hour. */
  readonly dueSoon: number;
  /** Members whose reminders are off because they do not accept direct messages. */
  readonly stopped: number;
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
