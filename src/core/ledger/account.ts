/** A user's account. @category Ledger */
export interface Account {
  readonly userId: string;
  readonly credits: number;
  /** Counted votes on all listings. */
  readonly votes: number;
}

/**
 * Which accounts the members of a community have: `''` for the home community, whose accounts are stored under the ids
 * of the members alone, otherwise the Discord ID of its guild.
 */
export type AccountScope = string;

/** The accounts of the home community. */
export const homeAccounts: AccountScope = '';

declare const brand: unique symbol;

/** Identifies an account: the member's id at home, `<guild id>:<member id>` in another community. */
export type AccountId = string & { readonly [brand]: true };

const separator = ':';

/** The account that a member has in a community. */
export function accountIdOf(accounts: AccountScope, userId: string): AccountId {
  return (accounts ? `${accounts}${separator}${userId}` : userId) as AccountId;
}

/** Whose account it is, and in which community. Neither Discord IDs nor pseudonyms contain the separator. */
export function partsOf(accountId: AccountId): { readonly accounts: AccountScope; readonly userId: string } {
  const end = accountId.indexOf(separator);
  return end === -1
    ? { accounts: homeAccounts, userId: accountId }
    : { accounts: accountId.slice(0, end), userId: accountId.slice(end + 1) };
}

/** The member of an account. */
export function memberOf(accountId: AccountId): string {
  return accountId.slice(accountId.indexOf(separator) + 1);
}

/** What a program, a site or a person has named, within a community: another one may use the same name. */
export function scopedKey(accounts: AccountScope, name: string): string {
  return `${accounts}${separator}${name}`;
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
