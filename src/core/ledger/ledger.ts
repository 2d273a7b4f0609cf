import type { Account } from './account.ts';

/** Read access to the accounts of one community. Rejects with the database driver's error if the database cannot be read. */
export interface LedgerReads {
  /** The member's account; with zero credits and votes if it has no entries. */
  account(userId: string): Promise<Account>;
  /**
   * Time of the member's last counted vote for a listing, for one of several, or for any listing of the community if it is
   * null (ms since the epoch). Null if there is none.
   */
  lastVoteAt(userId: string, listing: string | readonly string[] | null): Promise<number | null>;
}
