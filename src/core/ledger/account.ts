/** A user's account. @category Ledger */
export interface Account {
  readonly userId: string;
  readonly credits: number;
  /** Counted votes on all listings. */
  readonly votes: number;
}

/** Time of the latest counted vote, by listing (ms since the epoch). */
export type LastVotes = Readonly<Record<string, number>>;

/**
 * Time of the latest counted vote for a listing, for one of several, or for any listing if it is null (ms since the
 * epoch). Null before the first vote.
 */
export function lastVoteIn(lastVotes: LastVotes, listing: string | readonly string[] | null): number | null {
  const names = typeof listing === 'string' ? [listing] : (listing ?? Object.keys(lastVotes));
  let last: number | null = null;
  for (const name of names) {
    const at = Object.hasOwn(lastVotes, name) ? lastVotes[name] : undefined;
    if (at !== undefined && (last === null || at > last)) last = at;
  }
  return last;
}

/** A vote delivered after a later one does not change the time of the latest vote. */
export function withVote(lastVotes: LastVotes, listing: string, at: number): LastVotes {
  const last = lastVoteIn(lastVotes, listing);
  return last !== null && last >= at ? lastVotes : { ...lastVotes, [listing]: at };
}
