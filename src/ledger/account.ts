import { type Entry, isCountedVote } from './entry.ts';

/** A user's account. */
export interface Account {
  readonly userId: string;
  readonly credits: number;
  /** Counted votes on all listings. */
  readonly votes: number;
}

/** A user's account with everything that the next entry depends on, so that earlier entries need not be read. */
export interface AccountState extends Account {
  /** Time of the latest counted vote, by listing (ms since the epoch). */
  readonly lastVotes: Readonly<Record<string, number>>;
  /** ID of the newest entry, which links to the entry before it. Null before the first entry. */
  readonly lastEntry: number | null;
  /** Number of the newest entry, counted from 1. Starts again at 0 for entries from before they were numbered. */
  readonly entries: number;
}

/** The account of a user without entries. */
export function emptyAccount(userId: string): AccountState {
  return { userId, credits: 0, votes: 0, lastVotes: {}, lastEntry: null, entries: 0 };
}

/** Whether the account is as before its first entry. A balance that was imported by hand has no entries either. */
export function isEmpty({ credits, votes, lastEntry }: AccountState): boolean {
  return credits === 0 && votes === 0 && lastEntry === null;
}

/** The account after the entry with the given ID. */
export function withEntry(account: AccountState, entry: Entry, id: number): AccountState {
  const { userId, credits, votes, lastVotes, entries } = account;
  const isCounted = isCountedVote(entry.cause);
  return {
    userId,
    credits: credits + entry.credits,
    votes: votes + (isCounted ? 1 : 0),
    lastVotes: isCounted && entry.listing !== null ? withVote(lastVotes, entry.listing, entry.at) : lastVotes,
    lastEntry: id,
    entries: entries + 1,
  };
}

/**
 * Time of the latest counted vote for a listing, or for any listing if it is null (ms since the epoch). Null before the
 * first vote.
 */
export function lastVoteIn(lastVotes: AccountState['lastVotes'], listing: string | null): number | null {
  const times =
    listing === null ? Object.values(lastVotes) : Object.hasOwn(lastVotes, listing) ? [lastVotes[listing]] : [];
  return times.reduce<number | null>((last, at = 0) => (last === null || at > last ? at : last), null);
}

/** A vote delivered after a later one does not change the time of the latest vote. */
function withVote(lastVotes: AccountState['lastVotes'], listing: string, at: number): AccountState['lastVotes'] {
  const last = lastVoteIn(lastVotes, listing);
  return last !== null && last >= at ? lastVotes : { ...lastVotes, [listing]: at };
}
