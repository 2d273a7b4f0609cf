import { countedVoteCauses, type Entry } from './entry.ts';

/** A user's account. */
export interface Account {
  readonly userId: string;
  readonly credits: number;
  /** Votes that count, on all listings. */
  readonly votes: number;
}

/** A user's account with all that the next entry needs to know: whoever has it need not read the entries before. */
export interface AccountState extends Account {
  /** When the latest vote that counts was cast, by listing (ms since the epoch). */
  readonly lastVotes: Readonly<Record<string, number>>;
  /** The number of the newest entry; each entry names the one before it. Null before the first. */
  readonly lastEntry: number | null;
}

/** The passbook of a user who has no entry yet. */
export function emptyAccount(userId: string): AccountState {
  return { userId, credits: 0, votes: 0, lastVotes: {}, lastEntry: null };
}

/** The passbook with one more entry in it, which has the number `id`. */
export function withEntry(passbook: AccountState, entry: Entry, id: number): AccountState {
  const { userId, credits, votes, lastVotes } = passbook;
  const counts = countedVoteCauses.some((cause) => cause === entry.cause);
  return {
    userId,
    credits: credits + entry.credits,
    votes: votes + (counts ? 1 : 0),
    lastVotes: counts && entry.listing !== null ? withVote(lastVotes, entry.listing, entry.at) : lastVotes,
    lastEntry: id,
  };
}

/** When the latest vote for a listing was cast (ms since the epoch), or for any where it is null; null before the first. */
export function lastVoteIn(lastVotes: AccountState['lastVotes'], listing: string | null): number | null {
  const times =
    listing === null ? Object.values(lastVotes) : Object.hasOwn(lastVotes, listing) ? [lastVotes[listing]] : [];
  return times.reduce<number | null>((last, at = 0) => (last === null || at > last ? at : last), null);
}

/** A vote that was held up changes nothing: a later one has come before it. */
function withVote(lastVotes: AccountState['lastVotes'], listing: string, at: number): AccountState['lastVotes'] {
  const last = lastVoteIn(lastVotes, listing);
  return last !== null && last >= at ? lastVotes : { ...lastVotes, [listing]: at };
}
