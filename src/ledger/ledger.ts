import type { Entry } from './entry.ts';

/** What the ledger needs inside a transaction. An entry and the balance it changes are written by one call: they cannot part. */
export interface LedgerWrites {
  /** Appends the entry, moves the user's balance by it, and returns the balance after it (credits). */
  append(entry: Entry): Promise<number>;
  /** Whether a vote that counts lies strictly between the two times (ms since the epoch). */
  hasVoteBetween(listing: string, userId: string, after: number, before: number): Promise<boolean>;
}

/** A user's account. */
export interface Account {
  readonly userId: string;
  readonly credits: number;
  /** Votes that count, on all listings. */
  readonly votes: number;
}

/** What anybody may read of the ledger. */
export interface LedgerReads {
  account(userId: string): Promise<Account>;
  /** When the user's last vote that counts was cast (ms since the epoch), per listing; null stands for every listing. */
  lastVoteAt(userId: string, listing: string | null): Promise<number | null>;
}
