import { randomBytes } from 'node:crypto';

/** A user's account. @category Ledger */
export interface Account {
  readonly userId: string;
  readonly credits: number;
  /** Counted votes on all listings. */
  readonly votes: number;
}

declare const communityKey: unique symbol;

/**
 * The key of a community: the id of its row in `communities`. It never changes; the guild of the community may become
 * known later.
 */
export type CommunityId = number & { readonly [communityKey]: true };

/** In place of a community, in a guild that has none: no row has this key, so nobody has an account in it. */
export const noCommunity = 0 as CommunityId;

declare const accountKey: unique symbol;

/** Identifies the account of a member in a community: `<community>:<member>`. */
export type AccountId = string & { readonly [accountKey]: true };

const separator = ':';
/** The character after the separator. */
const afterSeparator = ';';

/** The account that a member has in a community. @param userId Discord ID, or the pseudonym of a forgotten member */
export function accountIdOf(communityId: CommunityId, userId: string): AccountId {
  return `${communityId}${separator}${userId}` as AccountId;
}

/** Whose account it is, and in which community. */
export function partsOf(accountId: AccountId): { readonly communityId: CommunityId; readonly userId: string } {
  const end = accountId.indexOf(separator);
  return { communityId: Number(accountId.slice(0, end)) as CommunityId, userId: accountId.slice(end + 1) };
}

/** The member of an account. */
export function memberOf(accountId: AccountId): string {
  return accountId.slice(accountId.indexOf(separator) + 1);
}

/** The ids of a community's accounts are greater than `after` and less than `before`, compared byte by byte. */
export function accountRange(communityId: CommunityId): { readonly after: AccountId; readonly before: AccountId } {
  const before = `${communityId}${afterSeparator}` as AccountId;
  return { after: accountIdOf(communityId, ''), before };
}

/** A key or name within a community: another community may use the same one. */
export function scopedKey(communityId: CommunityId, name: string): string {
  return `${communityId}${separator}${name}`;
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

/**
 * Read access to the accounts of one community. Rejects with the database driver's error if the database cannot be
 * read.
 */
export interface LedgerReads {
  /** The member's account; with zero credits and votes if it has no entries. */
  account(userId: string): Promise<Account>;
  /**
   * Time of the member's last counted vote for a listing, for one of several, or for any listing of the community if it
   * is null (ms since the epoch). Null if there is none.
   */
  lastVoteAt(userId: string, listing: string | readonly string[] | null): Promise<number | null>;
}

/** Discord IDs are digits, so no member has such an id. */
export const pseudonymPrefix = 'forgotten';

/** A random id that replaces that of a member who is forgotten. It cannot be computed from the member's id. */
export function createPseudonym(): string {
  return pseudonymPrefix + randomBytes(10).toString('hex');
}

/** Checks whether the id is one of {@link createPseudonym}. */
export function isPseudonym(userId: string): boolean {
  return userId.startsWith(pseudonymPrefix);
}
