import type { CommunityId } from '../../core/ledger/account.ts';
import type { Tables } from '../../core/store/tables.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';

/** Maximum amount that one row credits. A higher one is treated as an error in the file. */
export const maxImportedCredits = 1_000_000_000;

/** What is imported of another program, under one name. */
export interface ImportDescription {
  readonly name: string;
  /** In which community. */
  readonly communityId: CommunityId;
}

/** Where and as what items are stored. Plain data. */
export interface ImportTarget {
  readonly importId: number;
  readonly communityId: CommunityId;
  readonly reason: string;
  readonly listings: readonly ListingContext[];
}

/** The key of the balance of an account. All other items are votes. */
export const balanceKey = 'balance';

export interface ImportItem {
  readonly userId: string;
  /** {@link balanceKey}, or identifies a vote of the account in its import, so that it is credited once. */
  readonly key: string;
  /** Whole credits, 0 or more; a vote may have some too. */
  readonly credits: number;
  /**
   * Null for a balance. `at` in ms since the epoch. `isTotal`: one of several votes of which only the number is known, so
   * that the cooldown does not apply.
   */
  readonly vote: { readonly listing: string; readonly at: number; readonly isTotal: boolean } | null;
}

/**
 * What became of an item. `imported`: credited before under the same name. `different`: imported before with another
 * amount, `credits`. `within_cooldown`: the ledger has another counted vote too close to it.
 */
export type ItemOutcome =
  | { readonly outcome: 'credited' | 'imported' | 'within_cooldown' }
  | { readonly outcome: 'different'; readonly credits: number };

/** An import as it was recorded. Times are ms since the epoch. */
export interface StoredImport extends ImportDescription {
  readonly id: number;
  /** Discord ID of the community's guild; null if it is not known. */
  readonly guildId: string | null;
  readonly state: ImportState;
  readonly startedAt: number;
  /** When it was complete, or undone; null while it is not. */
  readonly finishedAt: number | null;
  /** What its entries credit, and how many of them are votes. */
  readonly credits: number;
  readonly votes: number;
  readonly entries: number;
  /** Credits that an undo could not take, because members had spent them. */
  readonly spent: number;
}

export type ImportState = Tables['imports']['state'];

/** What the undo of an import took from one member. `spent`: credits that the member no longer had. */
export interface UndoneMember {
  readonly credits: number;
  readonly spent: number;
  readonly votes: number;
}
