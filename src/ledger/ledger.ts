import type { Account } from './account.ts';

/** Read access to the ledger. Rejects with the database driver's error if the database cannot be read. */
export interface LedgerReads {
  /** An account with zero credits and votes if the user has no entries. */
  account(userId: string): Promise<Account>;
  /**
   * Time of the user's last counted vote for a listing, or for any listing if it is null (ms since the epoch). Null if
   * there is none.
   */
  lastVoteAt(userId: string, listing: string | null): Promise<number | null>;
}
