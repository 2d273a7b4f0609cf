import type { Account, AccountState } from './account.ts';
import type { Entry } from './entry.ts';

/** What the ledger needs inside a transaction. */
export interface LedgerWrites {
  /** A user's passbook, as it stands in this transaction; an empty one for whoever has no entry yet. */
  accountState(userId: string): Promise<AccountState>;
  /** Appends the entry and returns the passbook with it. An entry and the balance it changes are written by one call: they cannot part. */
  append(accountState: AccountState, entry: Entry): Promise<AccountState>;
  /** Whether a vote that counts lies strictly between the two times (ms since the epoch). */
  hasVoteBetween(accountState: AccountState, listing: string, after: number, before: number): Promise<boolean>;
}

/** A page of the leaderboard. */
export interface Leaderboard {
  /** Most credits first; nobody without credits, and nobody after the first thousand. */
  readonly places: readonly Account[];
  /** When it was taken (ms since the epoch): half a minute ago at most. */
  readonly asOf: number;
}

/** What anybody may read of the ledger. Rejects with the driver's own error when the database cannot be read. */
export interface LedgerReads {
  /** All zero for a user who has no entry. */
  account(userId: string): Promise<Account>;
  /** When the user's last vote that counts was cast (ms since the epoch), per listing; null stands for every listing. */
  lastVoteAt(userId: string, listing: string | null): Promise<number | null>;
  /** The accounts from the place `offset` on, counted from 0; of equals the one whose account at Discord is older. */
  leaderboard(page: { readonly limit: number; readonly offset?: number }): Promise<Leaderboard>;
}
