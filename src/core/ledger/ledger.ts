import type { Account } from './account.ts';

/** Read access to the accounts of one community. Rejects with the database driver's error if the database cannot be read. */
export interface LedgerReads {
  /** The member's account; with zero credits and votes if it has no entries. */
  account(userId: string): Promise<Account>;
  /**
   * Time of the member's last counted vote for a listing, or for any listing of the community if it is null (ms since the epoch). Null if
   * there is none.
   */
  lastVoteAt(userId: string, listing: string | null): Promise<number | null>;
}

/** The last counted vote of a member for one of these listings (ms since the epoch). Rejects like the ledger. */
export async function lastVoteAt(
  ledger: Pick<LedgerReads, 'lastVoteAt'>,
  userId: string,
  names: readonly string[],
): Promise<number | null> {
  const times = await Promise.all(names.map((name) => ledger.lastVoteAt(userId, name)));
  return times.reduce((last, at) => (last === null || (at !== null && at > last) ? at : last), null);
}
