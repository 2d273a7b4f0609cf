import type { Account } from './account.ts';

/** A page of the leaderboard. */
export interface Leaderboard {
  /** Accounts with credits, in descending order; at most the first thousand. */
  readonly places: readonly Account[];
  /** Time of the query (ms since the epoch); at most half a minute ago. */
  readonly asOf: number;
}

/** Read access to the ledger. Rejects with the database driver's error if the database cannot be read. */
export interface LedgerReads {
  /** An account with zero credits and votes if the user has no entries. */
  account(userId: string): Promise<Account>;
  /**
   * Time of the user's last counted vote for a listing, or for any listing if it is null (ms since the epoch). Null if
   * there is none.
   */
  lastVoteAt(userId: string, listing: string | null): Promise<number | null>;
  /** The accounts from the place `offset`, counted from 0. Among equals the older Discord account is first. */
  leaderboard(page: { readonly limit: number; readonly offset?: number }): Promise<Leaderboard>;
}
